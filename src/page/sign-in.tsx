import { useState } from "preact/hooks";
import { forgetToken, keepToken, type Me } from "./server.js";
import { useWords } from "./words.js";

interface Props {
  /** True if the server did not accept a token. */
  isWrong: boolean;
  /** Undefined if the server does not say. */
  me: Me | undefined;
  onGiven: () => void;
}

/** Lets the user sign in at the provider, or asks for the token that the server wants, or offers both. */
export function SignIn({ isWrong, me, onGiven }: Props) {
  const words = useWords();
  const [token, setToken] = useState("");
  const canSignIn = me?.canSignIn === true;
  return (
    <main class="alone">
      {canSignIn && (
        <div class="card">
          <h2>{words.signInWanted}</h2>
          {location.hash === FAILED && <p role="alert">{words.signInFailed}</p>}
          <a class="button" href="auth/sign-in" onClick={leave}>
            {words.signIn}
          </a>
        </div>
      )}
      {(!canSignIn || me.takesTokens) && (
        <form
          class="card"
          onSubmit={(event) => {
            event.preventDefault();
            keepToken(token.trim());
            onGiven();
          }}
        >
          {!canSignIn && <h2>{words.token}</h2>}
          {isWrong && <p role="alert">{words.wrongToken}</p>}
          <label>
            {words.tokenName}
            <input
              type="password"
              required
              autocomplete="off"
              value={token}
              onInput={({ currentTarget }) => setToken(currentTarget.value)}
            />
          </label>
          <button type="submit">{words.enter}</button>
        </form>
      )}
    </main>
  );
}

/** The place on the page that the user wanted to see, such as a citation. The provider leads back to the page alone. */
const PLACE = "emend-place";

function leave() {
  forgetToken();
  if (location.hash !== FAILED) sessionStorage.setItem(PLACE, location.hash);
}

/** Shows the place again from which the user left to sign in. */
export function returnToPlace() {
  if (location.hash !== "") return;
  history.replaceState(null, "", `${location.pathname}${sessionStorage.getItem(PLACE) ?? ""}`);
  sessionStorage.removeItem(PLACE);
}

/** The address to which the server leads back if signing in did not work. */
const FAILED = "#/sign-in-failed";
