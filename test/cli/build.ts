import { execFileSync } from "node:child_process";

/** The command line is tested as it is shipped: built. Where nothing changed this takes a second. */
export default function build() {
  execFileSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
}
