/** Invented pages of every common kind, each with the main text that a reader wants and the parts around it. */

export interface Kind {
  kind: string;
  html: string;
  /** Pieces of the main text. */
  kept: readonly string[];
  /** Pieces of the parts around it. */
  left: readonly string[];
}

const page = (lang: string, title: string, body: string, head = "") =>
  `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><title>${title} | Site</title>${head}</head><body>${body}</body></html>`;
const p = (...texts: readonly string[]) => texts.map((text) => `<p>${text}</p>`).join("");
const json = (said: object) => `<script type="application/ld+json">${JSON.stringify(said)}</script>`;
const links = (texts: readonly string[]) =>
  `<ul>${texts.map((text) => `<li><a href="/x">${text}</a></li>`).join("")}</ul>`;
const MENU = `<div class="top"><a href="/">Home</a> <a href="/a">World</a> <a href="/b">Money</a> <a href="/c">Science</a></div>`;

const NEWS = [
  "Engineers reopened the northern lock on Monday after eleven weeks of repairs, and the first three barges passed before noon.",
  "The steel gates had bent in the January flood, when the river rose by almost two metres in a single night and carried timber against them.",
  "Freight firms put their losses at four million francs, most of it for lorries that had to carry grain by road instead of by water.",
  "The canal office will now check all nine locks each spring, said its director, who expects the work to cost less than one repair.",
];
const NEWS_LEAD =
  "Eleven weeks after the flood, barges can pass the northern lock again, and farmers hope for lower prices.";
const STORIES = [
  "Bakers ask for cheaper flour",
  "Why the old mill was sold",
  "Six walks along the river",
  "A new ferry for the lake",
];
const COMMENTS = [
  "My uncle drove one of those lorries all winter, and he says the roads will need repairs next.",
  "Nine locks each spring sounds like a lot for an office with twelve people in it, to be honest.",
  "Finally! We could hear the pumps from our kitchen every night since the end of January.",
  "Does anybody know whether pleasure boats may pass too, or is it only for freight at first?",
  "I wrote to the office in February and never had an answer, so I do not believe a word of it.",
  "The photographs from the air were the best thing in this article, please show more of them.",
];
const comments = (name: string, texts = COMMENTS) =>
  `<section class="${name}"><h3>${texts.length} responses</h3>${texts.map((text, i) => `<div class="${name}-item"><a href="/u">reader${i}</a> <span>2 days ago</span>${p(text)}<a href="#">Reply</a></div>`).join("")}</section>`;

const RECIPE_STEPS = [
  "Rub the butter into the flour until it looks like sand, then stir in the sugar and a pinch of salt.",
  "Press two thirds of it into the tin and bake it for twelve minutes at 180 degrees.",
  "Spread the plums over it, crumble the rest on top and bake until the juice bubbles at the edge.",
];
const INGREDIENTS = ["200 g plain flour", "120 g cold butter", "80 g brown sugar", "600 g plums, halved"];
const RECIPE_INTRO =
  "This is the cake my grandmother made when the plums came in, all at once, and the whole street was given some of it.";

const PRODUCT = [
  "The Alder 40 is a rucksack for walks of two or three days, cut from recycled canvas that keeps out rain for hours.",
  "Its frame bends with your back, and the hip belt can be taken off when the load is light.",
];
const REVIEWS = [
  "Carried it over the Alps for ten days and nothing tore, though the side pocket is a little tight for my bottle.",
  "Comfortable with twelve kilos, less so with eighteen; the belt helps more than I had expected.",
];
const COOKIES = [
  "We and our 312 partners store and access information on your device, such as cookies and unique identifiers, to show you advertisements and content that suit you, and to learn how many people see them.",
  "You may accept or refuse, or choose for each purpose; your choice holds for this site only, and you can change it at any time by the link at the bottom of every page.",
  "Some partners do not ask for your consent and rely on their legitimate interest instead; open the list of partners to object to them one by one.",
];

const POSTS = [
  "Has anybody replaced the belt of a washing machine of this make? Mine slips as soon as the drum is more than half full.",
  "Yes, last year. Take off the back, six screws, and turn the drum by hand while you pull the old belt towards you.",
  "Check the pulley first: mine was worn so thin that a new belt slipped after two weeks just like the old one.",
  "Thank you both, it was the pulley. A new one was nine pounds, and it runs without a sound now.",
];

const ZH_NEWS = [
  "经过十一周的抢修，北闸于本周一上午恢复通航，中午之前已有三艘货船顺利通过，船闸管理处表示设备运转正常。",
  "今年一月的洪水在一夜之间使河水上涨近两米，漂来的木材把钢闸门撞弯，此后货物只能改由公路运输。",
  "据货运企业估算，停航造成的损失约为四百万元，其中大部分是把粮食改用卡车运输而多付的运费。",
  "管理处今后每年春天将检查全部九座船闸，负责人认为这笔费用比一次大修要低得多，也能避免再次停航。",
];
const ZH_LEAD = "洪水过去十一周之后，货船又可以通过北闸了，沿岸农户期待运费回落。";
const ZH_STORIES = ["面包店呼吁降低面粉价格", "老磨坊为何出售", "沿河六条散步路线", "湖上新渡轮下月启用"];
const ZH_COMMENTS = [
  "我叔叔整个冬天都在开那些卡车，他说接下来该修的就是公路了。",
  "每年春天检查九座船闸，对一个只有十二个人的管理处来说可不少。",
  "终于修好了，从一月底开始我们每天晚上都能听到抽水机的声音。",
];
const ZH_POSTS = [
  "请问有人给这个牌子的洗衣机换过皮带吗？我家的滚筒只要装过一半就开始打滑，声音还特别大。",
  "去年换过。把后盖的六颗螺丝拧下来，一边用手转动滚筒一边把旧皮带往自己这边拉就可以了。",
  "先看看皮带轮吧，我家的磨得太薄，换了新皮带两个星期以后还是照样打滑。",
  "谢谢两位，果然是皮带轮的问题，新的才九十块钱，现在转起来一点声音都没有。",
];

const WIKI = [
  "The Alder Canal is a waterway of 41 kilometres that joins the lake to the river. It was dug between 1794 and 1811, and has nine locks.",
  "A first plan of 1766 followed the old road, but the marsh could not carry the banks, and the line was moved to the north.",
  "Traffic was heaviest in the years before 1870, when a railway took over most of the grain; today four boats in five carry visitors.",
];
const REFERENCES = Array.from(
  { length: 24 },
  (_, i) =>
    `Miller, A. (19${60 + i}). "Notes on inland navigation, part ${i + 1}". Journal of Waterways. ${i + 3} (2): 1${i}–2${i}. Retrieved 4 May 2011.`,
);

const DOCS = [
  "The client keeps one connection for each host and opens a second one only when the first has not answered for half a second.",
  "Set the limit lower where the server counts connections, and higher where answers are large and slow to come.",
];

export const KINDS: readonly Kind[] = [
  {
    kind: "news with a lead in the header",
    html: page(
      "en",
      "Northern lock reopens",
      `${MENU}<main><article><header><h1>Northern lock reopens</h1><p class="standfirst">${NEWS_LEAD}</p><div class="byline">By Ann Field, 4 May</div></header><figure><img src="a.jpg"><figcaption>The lock from the air. Photograph: A. Field</figcaption></figure><div class="article-body">${p(...NEWS)}</div></article></main><aside class="related"><h2>Related</h2>${links(STORIES)}</aside>`,
    ),
    kept: [NEWS_LEAD, ...NEWS],
    left: STORIES,
  },
  {
    kind: "news with a summary list, without names",
    html: page(
      "en",
      "Northern lock reopens",
      `<div>${links(["Home", "World", "Money"])}</div><div><h1>Northern lock reopens</h1><div><ul><li>${NEWS_LEAD}</li><li>The repair took eleven weeks and cost two million francs.</li></ul></div><div><div>${p(...NEWS)}</div></div></div><div><h3>More stories</h3>${links(STORIES)}</div>`,
    ),
    kept: [NEWS_LEAD, "cost two million francs", ...NEWS],
    left: STORIES,
  },
  {
    kind: "news, paragraphs in containers of their own, advertisements between",
    html: page(
      "en",
      "Northern lock reopens",
      `${MENU}<div class="layout"><h1>Northern lock reopens</h1>${NEWS.map((text) => `<div class="chunk"><div class="inner">${p(text)}</div></div><div class="ad-slot">${p("Advertisement: sleep better on our new mattresses, now at half of the usual price.")}</div>`).join("")}</div><div class="promo">${p("Subscribe today and read everything that our forty reporters write, each morning.")}</div>`,
    ),
    kept: NEWS,
    left: ["mattresses", "Subscribe today"],
  },
  {
    kind: "blog with comments",
    html: page(
      "en",
      "What the lock taught us",
      `${MENU}<div id="content"><div class="post"><h1>What the lock taught us</h1><div class="entry">${p(...NEWS)}</div><div class="author-box"><h4>Ann Field</h4>${p("Ann Field has written about rivers for twenty years and lives on a boat with two cats.")}</div></div>${comments("comment")}</div>`,
    ),
    kept: NEWS,
    left: [...COMMENTS, "two cats"],
  },
  {
    kind: "short post under many comments",
    html: page(
      "en",
      "Lock open",
      `${MENU}<div class="post"><h1>The lock is open again</h1><div class="entry">${p(...NEWS.slice(0, 3))}</div></div>${comments("comments", [...COMMENTS, ...COMMENTS.map((text) => `Again: ${text}`), ...COMMENTS.map((text) => `Once more: ${text}`)])}`,
    ),
    kept: NEWS.slice(0, 3),
    left: COMMENTS,
  },
  {
    kind: "recipe",
    html: page(
      "en",
      "Plum crumble cake",
      `${MENU}<div class="wrap"><h1>Plum crumble cake</h1><p>${RECIPE_INTRO}</p><div class="info"><span>Serves 8</span><span>50 minutes</span></div><div class="card"><h2>Ingredients</h2><ul>${INGREDIENTS.map((text) => `<li>${text}</li>`).join("")}</ul></div><div class="card"><h2>Method</h2><ol>${RECIPE_STEPS.map((text) => `<li>${text}</li>`).join("")}</ol></div></div><div class="sidebar"><h3>You may also like</h3>${links(["Apple tart", "Pear cake", "Cherry pie"])}</div>${comments("comments", COMMENTS.slice(0, 3))}`,
      json({
        "@type": "Recipe",
        name: "Plum crumble cake",
        recipeIngredient: INGREDIENTS,
        recipeInstructions: RECIPE_STEPS.map((text) => ({ "@type": "HowToStep", text })),
      }),
    ),
    kept: [RECIPE_INTRO, ...INGREDIENTS, ...RECIPE_STEPS],
    left: ["Cherry pie", ...COMMENTS.slice(0, 3)],
  },
  {
    kind: "recipe below a long story",
    html: page(
      "en",
      "Plum crumble cake",
      `${MENU}<div class="post-content">${p(RECIPE_INTRO, ...NEWS)}<div class="recipe-widget"><h3>Ingredients</h3><ul>${INGREDIENTS.map((text) => `<li class="ingredient">${text}</li>`).join("")}</ul><h3>Instructions</h3><ol>${RECIPE_STEPS.map((text) => `<li class="instruction">${text}</li>`).join("")}</ol></div></div><div class="newsletter">${p("Sign up and have a cake in your letter box each Friday, free of charge and of crumbs.")}</div>`,
    ),
    kept: [RECIPE_INTRO, ...NEWS, ...INGREDIENTS, ...RECIPE_STEPS],
    left: ["letter box"],
  },
  {
    kind: "product",
    html: page(
      "en",
      "Alder 40 rucksack",
      `${MENU}<div class="product-page"><div class="gallery"><span>1 of 6</span></div><div class="buy"><h1>Alder 40 rucksack</h1><span class="price">£129.00</span><button>Add to basket</button><p class="delivery">Free delivery for orders above fifty pounds, and thirty days to send it back.</p></div><div class="tabs"><div class="description"><h2>Description</h2>${p(...PRODUCT)}</div><div class="specs"><h2>Details</h2><table><tr><th>Weight</th><td>1.4 kg</td></tr><tr><th>Volume</th><td>40 litres</td></tr></table></div></div></div><div class="recommendations"><h2>Others bought</h2>${links(["Birch 25 day pack", "Willow rain cover", "Hazel bottle"])}</div><footer>${p("Company number 123456. Prices include tax where it applies to your country of delivery.")}</footer>`,
      json({ "@type": "Product", name: "Alder 40 rucksack", description: PRODUCT.join(" ") }),
    ),
    kept: [...PRODUCT, "40 litres", "1.4 kg"],
    left: ["Willow rain cover", "Company number"],
  },
  {
    kind: "product with microdata and reviews",
    html: page(
      "en",
      "Alder 40 rucksack",
      `${MENU}<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Alder 40 rucksack</h1><div itemprop="description">${PRODUCT.join(" ")}</div><ul><li>Weight: 1.4 kg with the frame</li><li>Volume: 40 litres</li></ul><div><h2>Reviews</h2>${REVIEWS.map((text) => `<div itemprop="review" itemscope><b>Hana</b><div itemprop="reviewBody">${text}</div></div>`).join("")}</div></div><div class="similar"><h2>Similar</h2>${links(["Birch 25 day pack", "Willow rain cover", "Hazel bottle"])}</div>`,
    ),
    kept: [...PRODUCT, "Volume: 40 litres"],
    left: ["Willow rain cover"],
  },
  {
    kind: "forum",
    html: page(
      "en",
      "Washing machine belt slips",
      `<div id="nav">${links(["Forum", "Members", "Rules"])}</div><h1>Washing machine belt slips</h1>${POSTS.map((text, i) => `<div class="post" id="p${i}"><div class="postprofile"><a href="/u">user${i}</a><div>Posts: ${i * 31 + 4}</div></div><div class="postbody"><div class="author">3 May, 12:0${i}</div><div class="content">${text}</div><div class="signature">Sent from my kettle</div></div></div>`).join("")}<div class="footer">${p("Powered by forum software. All times are UTC, unless your profile says otherwise.")}</div>`,
    ),
    kept: POSTS,
    left: ["All times are UTC"],
  },
  {
    kind: "forum whose replies are named comments",
    html: page(
      "en",
      "Washing machine belt slips",
      `${MENU}<div itemscope itemtype="https://schema.org/DiscussionForumPosting"><h1>Washing machine belt slips</h1><div class="op">${p(POSTS[0] ?? "", "It is a machine of 2011, with a drum for seven kilos. I bought it second hand two years ago, and I would not like to throw it away for a belt, since everything else still works as it should.")}</div><div class="comments">${POSTS.slice(
        1,
      )
        .map(
          (text, i) =>
            `<div class="comment" itemprop="comment"><a href="/u">user${i}</a><div class="comment-text">${p(text)}</div></div>`,
        )
        .join(
          "",
        )}</div></div><div class="sidebar">${p("This community has forty thousand members, of whom two hundred are here right now.")}</div>`,
    ),
    kept: POSTS,
    left: ["forty thousand members"],
  },
  {
    kind: "questions and answers",
    html: page(
      "en",
      "Why does the belt slip?",
      `${MENU}<div id="main"><h1>Why does the belt slip?</h1><div class="question"><div class="votes">14</div><div class="body">${p(POSTS[0] ?? "")}</div></div><h2>3 Answers</h2>${POSTS.slice(
        1,
      )
        .map(
          (text, i) =>
            `<div class="answer"><div class="votes">${i}</div><div class="body">${p(text)}</div><a href="/u">user${i}</a></div>`,
        )
        .join("")}</div><div id="right"><h4>Linked</h4>${links(STORIES)}</div>`,
    ),
    kept: POSTS,
    left: STORIES,
  },
  {
    kind: "documentation",
    html: page(
      "en",
      "Connections",
      `<nav class="sidebar">${links(["Install", "Connections", "Errors", "Limits", "Changes", "Licence"])}</nav><div class="content"><h1>Connections</h1><p>${DOCS[0]}</p><h2>Limits</h2><pre>client.open({ limit: 4 })</pre><p>${DOCS[1]}</p><h2>Options</h2><table><tr><th>Name</th><th>Default</th></tr><tr><td>limit</td><td>2 connections</td></tr><tr><td>wait</td><td>500 ms</td></tr></table><dl><dt>keepAlive</dt><dd>Whether a connection stays open when its answer has come.</dd></dl><a href="/next">Next: Errors</a></div><div class="toc">${links(["Limits", "Options"])}</div>`,
    ),
    kept: [...DOCS, "client.open({ limit: 4 })", "2 connections", "500 ms", "stays open when its answer has come"],
    left: ["Licence"],
  },
  {
    kind: "encyclopaedia with many references",
    html: page(
      "en",
      "Alder Canal",
      `<div id="side">${links(["Main page", "Contents", "Random"])}</div><div id="body"><h1>Alder Canal</h1><div id="text"><table class="infobox"><tr><th>Length</th><td>41 km</td></tr><tr><th>Locks</th><td>9 locks</td></tr></table>${p(WIKI[0] ?? "")}<h2>History</h2>${p(...WIKI.slice(1))}<h2>References</h2><div class="reflist"><ol class="references">${REFERENCES.map((text) => `<li><span class="reference-text">${text}</span></li>`).join("")}</ol></div></div></div>`,
    ),
    kept: [...WIKI, "9 locks"],
    left: [REFERENCES[3] ?? "", REFERENCES[20] ?? ""],
  },
  {
    kind: "cookie notice longer than the page",
    html: page(
      "en",
      "Opening hours",
      `<div id="consent"><h2>Your privacy</h2>${p(...COOKIES)}<a href="#">Partners</a></div>${MENU}<div class="page"><h1>Opening hours</h1>${p("The office is open from Monday to Thursday, 9 to 17, and on Fridays until noon.", "In August it stays closed for the first two weeks.")}</div>`,
    ),
    kept: ["on Fridays until noon", "closed for the first two weeks"],
    left: COOKIES,
  },
  {
    kind: "cookie notice without names",
    html: page(
      "en",
      "Northern lock reopens",
      `${MENU}<div><h1>Northern lock reopens</h1>${p(...NEWS)}</div><div><div><h2>Your privacy</h2>${p(...COOKIES)}<button>Accept</button></div></div>`,
    ),
    kept: NEWS,
    left: COOKIES,
  },
  {
    kind: "short page over a huge footer",
    html: page(
      "en",
      "Contact",
      `${MENU}<div class="page"><h1>Contact</h1>${p("Write to office@example.org, or ring 555 0100 between nine and noon on working days.")}</div><footer><div>${p("The Alder Company is a family firm that has made rucksacks, tents and rain covers since 1931, in two workshops by the lake.", "We deliver to forty countries. Prices include tax where it applies, and parcels above fifty pounds are sent free of charge.", "Registered in the canton under number 123456. Everything on this site may be printed for your own use, and for no other.")}${links(["Shops", "Careers", "Press", "Terms", "Privacy"])}</div></footer>`,
    ),
    kept: ["ring 555 0100 between nine and noon"],
    left: ["family firm", "forty countries", "Registered in the canton"],
  },
  {
    kind: "Chinese news",
    html: page(
      "zh-CN",
      "北闸恢复通航",
      `<div class="nav">${links(["首页", "国内", "国际", "财经"])}</div><div class="main"><h1>北闸恢复通航</h1><div class="source">2024年5月4日 来源：河网</div><div class="summary">${ZH_LEAD}</div><div class="article">${p(...ZH_NEWS)}</div><div class="editor">责任编辑：小田</div></div><div class="hot"><h3>相关阅读</h3>${links(ZH_STORIES)}</div><div class="comment-list">${ZH_COMMENTS.map((text) => `<div class="item"><span>网友</span>${p(text)}</div>`).join("")}</div>`,
    ),
    kept: [ZH_LEAD, ...ZH_NEWS],
    left: [...ZH_STORIES, ...ZH_COMMENTS],
  },
  {
    kind: "Chinese news, lines with breaks, without names",
    html: page(
      "zh-CN",
      "北闸恢复通航",
      `<table><tr><td>${ZH_STORIES.map((text) => `<a href="/x">${text}</a>`).join(" ")}</td></tr></table><table><tr><td><h1>北闸恢复通航</h1>　　${ZH_LEAD}<br><br>　　${ZH_NEWS.join("<br><br>　　")}</td></tr></table><table><tr><td>版权所有 未经授权不得转载 备案号 12345678</td></tr></table>`,
    ),
    kept: [ZH_LEAD, ...ZH_NEWS],
    left: ZH_STORIES,
  },
  {
    kind: "Chinese forum",
    html: page(
      "zh-CN",
      "洗衣机皮带打滑",
      `<div id="hd">${links(["论坛", "会员", "版规"])}</div><div id="ct"><h1>洗衣机皮带打滑</h1>${ZH_POSTS.map((text, i) => `<table class="plhin"><tr><td class="pls"><a href="/u">用户${i}</a><p>积分 ${i * 31 + 4}</p></td><td class="plc"><div class="authi">发表于 2024-5-${i + 1}</div><div class="t_f">${text}</div></td></tr></table>`).join("")}</div><div id="ft">${p("本站由论坛软件驱动，所有言论只代表发言者个人观点，与本站立场无关。")}</div>`,
    ),
    kept: ZH_POSTS,
    left: ["与本站立场无关"],
  },
  {
    kind: "list of stories",
    html: page(
      "en",
      "Rivers",
      `${MENU}<h1>Rivers</h1><div class="list">${NEWS.map((text, i) => `<div class="card"><h2><a href="/s${i}">${STORIES[i]}</a></h2><p>${text}</p></div>`).join("")}</div><footer>${p("All rights reserved, and no part of this site may be used without permission.")}</footer>`,
    ),
    kept: [...NEWS, ...STORIES],
    left: ["All rights reserved"],
  },
];
