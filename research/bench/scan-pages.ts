/** A page to draw, and its text in the order in which it is read. */
export interface ScanPage {
  name: string;
  language: "en" | "zh";
  /** The body of the page as HTML; everything that is in `text`. */
  html: string;
  text: string;
}

const paragraph = (text: string) => `<p>${text}</p>`;
const tableOf = (rows: readonly (readonly string[])[], isRuled: boolean) =>
  `<table class="${isRuled ? "ruled" : ""}">${rows
    .map((row, i) => `<tr>${row.map((cell) => (i === 0 ? `<th>${cell}</th>` : `<td>${cell}</td>`)).join("")}</tr>`)
    .join("")}</table>`;
const page = (name: string, language: "en" | "zh", html: string, text: readonly string[]): ScanPage => ({
  name,
  language,
  html,
  text: text.join("\n"),
});

function letter(name: string, language: "en" | "zh", lines: readonly string[], small = ""): ScanPage {
  return page(name, language, `<div style="${small}">${lines.map(paragraph).join("")}</div>`, lines);
}
function table(
  name: string,
  language: "en" | "zh",
  title: string,
  rows: readonly (readonly string[])[],
  isRuled: boolean,
) {
  return page(name, language, `<h2>${title}</h2>${tableOf(rows, isRuled)}`, [title, ...rows.flat()]);
}
function columns(name: string, language: "en" | "zh", title: string, sides: readonly (readonly string[])[]): ScanPage {
  const html = sides.map((side) => `<div class="side">${side.map(paragraph).join("")}</div>`).join("");
  return page(name, language, `<h2>${title}</h2><div class="sides">${html}</div>`, [title, ...sides.flat()]);
}
function receipt(name: string, language: "en" | "zh", lines: readonly (readonly [string, string?])[]): ScanPage {
  const rows = lines.map(([a, b = ""]) => `<div class="item"><span>${a}</span><span>${b}</span></div>`).join("");
  return page(name, language, `<div class="receipt">${rows}</div>`, lines.flat().map(String));
}

export const SCAN_PAGES: readonly ScanPage[] = [
  letter("letter-en", "en", [
    "Harbour Office, 14 Quay Street, Bergen",
    "12 March 2025",
    "Dear Mr Lunde,",
    "Thank you for your letter of 3 March. The lease of shed No. 7 runs until 31 October 2026 and may be renewed once, for two years. The yearly rent is EUR 4,860, payable in advance on the first working day of January.",
    "Between 1 November and 31 March the slipway is closed on weekdays after 17:30. Boats longer than 11.5 m need the consent of the harbour master, who can be reached at +47 55 30 18 62 or harbour@kaikontor.example.",
    "A deposit of EUR 900 is due when the key is handed over. It is paid back within 14 days after the shed has been inspected and found clean. Repairs that cost less than EUR 150 are borne by the tenant.",
    "If you wish to end the lease before it expires, give notice in writing at least three months before the end of a quarter. Notice by telephone is not valid.",
    "Please sign both copies and send one back to us by 28 March 2025. The other is yours to keep.",
    "Yours sincerely,",
    "Ingrid Aasen",
    "Head of moorings",
  ]),
  letter("letter-zh", "zh", [
    "港务办公室　卑尔根市码头街14号",
    "2025年3月12日",
    "尊敬的伦德先生：",
    "您3月3日的来信收悉。7号棚的租期至2026年10月31日止，可续租一次，期限两年。年租金为人民币38600元，须于每年一月第一个工作日预付。",
    "11月1日至次年3月31日期间，工作日17:30以后船台关闭。船长超过11.5米的船只须经港长同意，联系电话0571-85301862。",
    "交付钥匙时须缴纳押金7200元。棚屋经检查确认整洁后，押金于14日内退还。费用低于1200元的维修由承租人承担。",
    "如需提前终止租约，应至少在季度末三个月前书面通知。电话通知无效。",
    "请在两份文件上签字，并于2025年3月28日前寄回一份，另一份由您保存。",
    "此致敬礼",
    "英格丽·奥森",
    "系泊管理处主任",
  ]),
  letter(
    "small-en",
    "en",
    [
      "General terms of delivery, version 4.2",
      "1. Orders are binding when they are confirmed in writing. A confirmation by e-mail counts as writing. Prices are net and include packaging, but neither freight nor duties.",
      "2. Delivery takes place within 21 days after the order is confirmed. If the seller is late by more than 10 days, the buyer may withdraw from the order and receives what has been paid, without interest.",
      "3. Goods are to be inspected within 5 working days. Visible defects that are reported later are not covered. Hidden defects are covered for 24 months from delivery, batteries for 6 months.",
      "4. Invoices are due within 30 days. A discount of 2 % applies to payments within 8 days. Interest on late payments is 9 % a year.",
      "5. Goods remain the property of the seller until they are fully paid. The buyer insures them against fire, water and theft at the price of purchase.",
      "6. Returns need a number, which the seller issues on request. Goods made to measure, opened software and batteries are not taken back. Freight for returns is borne by the buyer.",
      "7. The seller is liable for damage caused on purpose or by gross negligence. In all other cases liability is limited to EUR 25,000 for each order.",
      "8. Place of jurisdiction is Tromsø. The law of Norway applies; the UN convention on the sale of goods does not.",
    ],
    "font-size:8pt;line-height:1.25",
  ),
  letter(
    "small-zh",
    "zh",
    [
      "供货通用条款　第4.2版",
      "一、订单经书面确认后生效，电子邮件确认视为书面确认。价格为净价，含包装，不含运费及关税。",
      "二、自订单确认之日起21日内交货。卖方逾期超过10日的，买方有权解除订单，并取回已付款项，不计利息。",
      "三、货物应于5个工作日内验收。逾期提出的外观瑕疵不予受理。隐蔽瑕疵自交货起保修24个月，电池保修6个月。",
      "四、发票应于30日内付款。8日内付款可享2%的折扣。逾期付款按年利率9%计息。",
      "五、货款付清前，货物所有权归卖方。买方应按购买价格为货物投保火灾、水损及盗窃险。",
      "六、退货须凭卖方签发的退货编号。定制商品、已拆封软件及电池概不退换。退货运费由买方承担。",
      "七、卖方对故意或重大过失造成的损害承担责任；其他情形下，每份订单的赔偿责任以200000元为限。",
      "八、争议由杭州市人民法院管辖，适用中华人民共和国法律。",
    ],
    "font-size:8pt;line-height:1.3",
  ),
  table(
    "table-en",
    "en",
    "Room rates from 1 May 2025",
    [
      ["Room", "Beds", "Weekday", "Weekend", "Deposit"],
      ["Alder", "2", "EUR 84", "EUR 112", "EUR 60"],
      ["Birch", "4", "EUR 118", "EUR 156", "EUR 90"],
      ["Cedar", "3", "EUR 97", "EUR 131", "EUR 75"],
      ["Elm", "6", "EUR 164", "EUR 219", "EUR 120"],
      ["Hazel", "1", "EUR 58", "EUR 77", "EUR 45"],
      ["Juniper", "8", "EUR 205", "EUR 268", "EUR 150"],
      ["Larch", "5", "EUR 139", "EUR 183", "EUR 105"],
      ["Maple", "2", "EUR 91", "EUR 119", "EUR 65"],
      ["Rowan", "4", "EUR 122", "EUR 160", "EUR 95"],
    ],
    true,
  ),
  table(
    "table-zh",
    "zh",
    "岗位工资表（2025年5月起）",
    [
      ["岗位", "级别", "月薪", "夜班补贴", "年假"],
      ["前台", "三级", "5200元", "每班40元", "5天"],
      ["保安", "二级", "5600元", "每班60元", "7天"],
      ["厨师", "四级", "7800元", "每班35元", "10天"],
      ["会计", "五级", "9100元", "无", "12天"],
      ["司机", "三级", "6300元", "每班55元", "8天"],
      ["电工", "四级", "7400元", "每班65元", "9天"],
      ["保洁", "一级", "4300元", "每班30元", "5天"],
    ],
    false,
  ),
  columns("columns-en", "en", "Club rules", [
    [
      "Odd Lunde keeps the key to the boat house and hands it out on weekdays between nine and noon.",
      "Members pay 45 euros a year. Students pay 18 euros, and children under 12 pay nothing.",
      "Boats are to be rinsed with fresh water after each trip and put back with the bow towards the door.",
    ],
    [
      "Ropes are lent by the harbour master for at most 48 hours against a deposit of 25 euros.",
      "Life jackets are checked every March. A jacket older than ten years is not to be used any more.",
      "Damage is reported to the board on the same day, by whoever was the last to use the boat.",
    ],
  ]),
  columns("columns-zh", "zh", "社区公告", [
    [
      "垃圾清运时间为每周二、四、六上午七点至九点，节假日顺延一天。",
      "健身房开放时间为六点至二十二点，十六岁以下须由成人陪同。",
      "宠物须佩戴牵引绳，违者罚款两百元。",
    ],
    [
      "电梯每月十五日检修，当天十三点至十六点停用。",
      "停车位月租三百八十元，访客停车前两小时免费。",
      "装修须提前三天向物业报备，周日及法定节假日禁止施工。",
    ],
  ]),
  receipt("receipt-en", "en", [
    ["NORDLYS MARKET"],
    ["Storgata 5, 9008 Tromsø"],
    ["Receipt 004-18273"],
    ["2025-04-17  16:42"],
    ["Oat milk 1 l", "2.35"],
    ["Rye bread", "3.90"],
    ["Cod fillet 0.412 kg", "8.61"],
    ["Batteries AA 4x", "6.49"],
    ["Bag", "0.15"],
    ["TOTAL EUR", "21.50"],
    ["VAT 15 %", "2.80"],
    ["CARD **** 6083", "21.50"],
    ["Exchange within 30 days with receipt"],
  ]),
  receipt("receipt-zh", "zh", [
    ["北光超市（西湖店）"],
    ["小票号：004-18273"],
    ["2025-04-17 16:42"],
    ["燕麦奶1升", "16.80"],
    ["黑麦面包", "12.50"],
    ["鳕鱼片0.412千克", "38.60"],
    ["五号电池4粒", "19.90"],
    ["购物袋", "0.50"],
    ["合计", "88.30"],
    ["微信支付", "88.30"],
    ["凭小票30日内可退换"],
  ]),
  page(
    "form-en",
    "en",
    `<h2>Request for leave</h2>${tableOf(
      [
        ["Name", "Sofie Brandt"],
        ["Staff number", "B-20718"],
        ["Department", "Warehouse, night shift"],
        ["From", "14 July 2025"],
        ["Until", "1 August 2025"],
        ["Days", "15"],
        ["Kind of leave", "Paid annual leave"],
        ["Deputy", "Karim Haddad, extension 4417"],
      ],
      true,
    )}<p>Signed in Bergen on 2 June 2025</p>`,
    [
      "Request for leave",
      "Name Sofie Brandt Staff number B-20718 Department Warehouse, night shift From 14 July 2025 Until 1 August 2025 Days 15 Kind of leave Paid annual leave Deputy Karim Haddad, extension 4417",
      "Signed in Bergen on 2 June 2025",
    ],
  ),
  page(
    "form-zh",
    "zh",
    `<h2>请假申请表</h2>${tableOf(
      [
        ["姓名", "王秀兰"],
        ["工号", "B-20718"],
        ["部门", "仓储部夜班组"],
        ["起始日期", "2025年7月14日"],
        ["结束日期", "2025年8月1日"],
        ["天数", "15天"],
        ["请假类型", "带薪年假"],
        ["代理人", "李建国，分机4417"],
      ],
      true,
    )}<p>申请日期：2025年6月2日</p>`,
    [
      "请假申请表",
      "姓名王秀兰工号B-20718部门仓储部夜班组起始日期2025年7月14日结束日期2025年8月1日天数15天请假类型带薪年假代理人李建国，分机4417",
      "申请日期：2025年6月2日",
    ],
  ),
];
