import { execFileSync } from "node:child_process";

/** The tests run the built command line, as it is shipped. The build takes a second if nothing changed. */
export default function build() {
  execFileSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
}
