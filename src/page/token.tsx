import { useState } from "preact/hooks";
import { keepToken } from "./server.js";
import { useWords } from "./words.js";

/** Asks for the token that the server wants. */
export function Token({ isWrong, onGiven }: { isWrong: boolean; onGiven: () => void }) {
  const words = useWords();
  const [token, setToken] = useState("");
  return (
    <main class="alone">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          keepToken(token.trim());
          onGiven();
        }}
      >
        <h2>{words.token}</h2>
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
    </main>
  );
}
