/** Small invented pages in the usual form of a site: menus, lists of other pages and notices around a text. */

interface Frame {
  lang: string;
  title: string;
  body: string;
  menu: readonly string[];
  others: readonly string[];
  notice: string;
  head?: string;
}

export const framed = ({ lang, title, body, menu, others, notice, head = "" }: Frame) => `<!doctype html>
<html lang="${lang}"><head><meta charset="utf-8"><title>${title} - Site</title>${head}
<style>.x{color:red}</style><script>var tracker = "${notice}";</script></head><body>
<header><nav class="menu"><ul>${menu.map((word) => `<li><a href="/${word}">${word}</a></li>`).join("")}</ul></nav></header>
<div class="wrap"><main><article class="post"><h1>${title}</h1><div class="entry-content">${body}</div></article></main>
<aside class="sidebar"><h3>${menu[0]}</h3><ul>${others.map((line) => `<li><a href="/o">${line}</a></li>`).join("")}</ul></aside></div>
<footer class="site-footer"><p>${notice}</p></footer></body></html>`;

export const CHINESE = {
  lang: "zh-CN",
  title: "城市公园开放新的步行道",
  menu: ["首页", "新闻", "财经", "体育", "娱乐", "科技"],
  others: [
    "房价连续三个月下跌",
    "球队宣布新教练人选",
    "手机新品发布会日期确定",
    "专家谈冬季饮食",
    "地铁新线路下月试运行",
  ],
  notice: "版权所有 未经授权 不得转载 网站备案号 12345678",
  paragraphs: [
    "本市最大的公园昨天开放了一条新的步行道，全长四公里，沿着湖岸一直通到北门。工程历时两年，投入资金三千万元，主要用于铺设路面和加固湖岸。",
    "园林部门的负责人表示，步行道全程没有台阶，轮椅和婴儿车都可以通行。沿途设有十二处休息点，每处都有座椅和饮水设施，夜间照明开放到十点。",
    "住在附近的居民说，以前绕湖散步要走到马路上，现在方便多了。周末的人流比平时多了一倍，园方因此增加了巡逻的人员，并提醒游客不要骑车进入。",
    "下一阶段的工程将在明年春天开始，计划把步行道延长到植物园，并在中间修建一座小桥。市民可以在公园网站上对设计方案提出意见。",
  ],
} as const;

export const JAPANESE = {
  lang: "ja",
  title: "市立図書館が夜間も開館へ",
  menu: ["ホーム", "ニュース", "経済", "スポーツ", "文化"],
  others: ["駅前の再開発が始まる", "地元チームが決勝へ進出", "新しい給食の献立を紹介", "週末は大雨のおそれ"],
  notice: "著作権はサイト運営者に帰属します。無断転載を禁じます。",
  paragraphs: [
    "市立図書館は来月から、平日の開館時間を午後十時まで延長すると発表した。仕事帰りの人や学生が利用しやすくするためで、利用者からの要望が多かったという。",
    "延長する時間帯は、自動貸出機を使って本を借りることができる。職員は二人だけだが、警備員が巡回するため、安全面での心配はないと館長は説明している。",
    "試験的に行った昨年の秋には、一日平均で八十人が夜間に訪れた。特に試験前の時期には席が足りなくなり、閲覧室を増やすことも検討されている。",
  ],
} as const;

export const RUSSIAN = {
  lang: "ru",
  title: "В городе открылась новая библиотека",
  menu: ["Главная", "Новости", "Экономика", "Спорт", "Культура"],
  others: ["Цены на жильё снова выросли", "Команда вышла в финал", "Завтра ожидается снег", "Открыта запись на курсы"],
  notice: "Все права защищены. Использование материалов без разрешения запрещено.",
  paragraphs: [
    "В центре города открылась новая библиотека, которую строили почти четыре года. В здании три этажа, большой читальный зал и отдельное пространство для детей, где каждую неделю будут проходить занятия.",
    "По словам директора, фонд насчитывает более двухсот тысяч книг, и треть из них перевели в электронный вид. Записаться можно по паспорту, а для школьников достаточно заявления родителей.",
    "Жители района давно ждали этого события: прежнее здание закрыли ещё десять лет назад, и за книгами приходилось ездить через весь город. В первый день библиотеку посетили больше тысячи человек.",
  ],
} as const;

export const ENGLISH = {
  lang: "en",
  title: "River ferry returns after a decade",
  menu: ["Home", "News", "Business", "Sport", "Culture"],
  others: ["House prices fall again", "Team names a new coach", "Snow expected tomorrow", "Five soups for winter"],
  notice: "All rights reserved. No part of this site may be used without permission.",
  paragraphs: [
    "The ferry that once crossed the river every half hour is running again, ten years after its last trip. The new boat is electric, carries ninety people and twenty bicycles, and takes six minutes from bank to bank.",
    "The council paid for the boat from a fund for clean transport, and expects fares to cover the crew within three years. A single trip costs two pounds, and children under ten travel free with an adult.",
    "Residents on the southern bank had campaigned for the service since the old pier was closed. Without it, they said, a visit to the market meant a detour of eleven miles over the bridge.",
  ],
} as const;

export const paragraphs = (texts: readonly string[]) => texts.map((text) => `<p>${text}</p>`).join("\n");
