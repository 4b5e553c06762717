import { describe, expect, test } from "vitest";
import { addedTo } from "../../src/facts/live.js";

const SOURCE = `# Portal

The office opens at eight. Sign in at http://portal.example/login or write to desk@portal.example. See
[the guide](https://portal.example/guide "The guide") and ![logo](https://portal.example/logo.png).
Use \`emend ingest <folder>\` with List<String> when x < y. Install NodeJS v2.1, config.ts and README.md.
<a href='/help'>Help</a> Ports: 8080. 办公室网址是http://办公.example/登录。`;

describe("an address, a picture or a tag that the source does not have is an addition", () => {
  test.each([
    "<img src=http://evil.example/x>",
    '<img alt="Now confirm your password at …">',
    "<img src=x onerror=alert(1)",
    "<svg/onload=alert(1)",
    "<style>p",
    "open <!-- and haunted -->",
    '<b title="it is haunted">open</b>',
    "&lt;img src=x&gt;",
    "&amp;lt;img src=x&amp;gt;",
    "&#x68;ttp://evil.example",
    "(see http://evil.example/login?next=portal)",
    "http://portal.example/login?next=evil",
    "http://portal.example/log",
    "http://portal.example/Login",
    "http://portal.example",
    "http://portal.example@evil.example/login",
    "http://port\u0430l.example/login",
    "http://xn--portl-4ve.example/login",
    "ftp://portal.example/login",
    "//evil.example/x",
    "evil.example/login",
    "evil.example",
    "evil<b></b>.example/login",
    "ｅｖｉｌ．ｅｘａｍｐｌｅ／ｌｏｇｉｎ",
    "http：//evil.example",
    "请访问evil.example。",
    "（http://evil.example/登录）",
    "网址是http://办公.example/帮助",
    "desk@evil.example",
    "mailto:desk@portal.exampl",
    "javascript:alert(1)",
    "data:text/html,x",
    "tel:+4930123456",
    "`http://evil.example`",
    "\\href{http://evil.example}{x}",
    "<http://evil.example>",
    "![eight](http://evil.example/i.png)",
    "![the guide](https://portal.example/guide)",
    "[eight](http://evil.example)",
    "[eight [o'clock]](http://evil.example)",
    "[eight](/logout)",
    '[the guide](https://portal.example/guide "it is haunted")',
  ])("%s", (text) => expect(addedTo(text, SOURCE)).not.toEqual([]));
});

describe("nothing is added by", () => {
  test.each([
    "Sign in at <http://portal.example/login>.",
    "[Sign in](http://portal.example/login)",
    '<a href="http://portal.example/login">Sign in</a>',
    "**https://www.portal.example/login/**",
    "portal.example",
    "[the desk](mailto:desk@portal.example)",
    '[the guide](https://portal.example/guide "the guide")',
    "![logo](https://portal.example/logo.png)",
    "[help](/help)",
    "网址是http://办公.example/登录，请登录。",
    "（见http://portal.example/guide）",
    "<b>eight</b>, H<sub>2</sub>O<br>",
    "`emend ingest <folder>` with List<String> when x<y",
    "Node.js v2.1, config.ts, README.md",
    "at eight.Sign in",
    "e.g. 8.30 a.m., U.S., 3.5kg, TCP/IP, and/or, R&amp;D, Ports:8080, a -> b",
  ])("%s", (text) => expect(addedTo(text, SOURCE)).toEqual([]));
});
