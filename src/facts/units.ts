/** Units of measure, English and Chinese: the base unit, the factor to it, and the names as patterns. */
const UNITS: readonly (readonly [base: string, factor: number, names: string])[] = [
  ["s", 1, "seconds? secs? 秒钟 秒"],
  ["s", 60, "minutes? mins? 分钟"],
  ["s", 3600, "hours? hrs? 个小时 小时 个钟头 钟头"],
  ["s", 86_400, "days? 天 日"],
  ["s", 604_800, "weeks? 个星期 星期 周"],
  ["working day", 1, "working\\sdays? business\\sdays? 个工作日 工作日"],
  ["month", 1, "months? 个月"],
  ["month", 3, "quarters? 季度"],
  ["month", 12, "years? 周年 年"],
  ["month", 120, "decades?"],
  ["month", 1200, "centur(?:y|ies)"],
  ["m", 0.001, "millimet(?:er|re)s? mm 毫米 ㎜"],
  ["m", 0.01, "centimet(?:er|re)s? cm 厘米 ㎝"],
  ["m", 1, "met(?:er|re)s? 米"],
  ["m", 1000, "kilomet(?:er|re)s? km 公里 千米 ㎞"],
  ["m", 0.1, "分米"],
  ["m", 500, "里(?![面边外头程]) 华里"],
  ["mile", 1, "miles? mi 英里"],
  ["nautical mile", 1, "nautical\\smiles? 海里"],
  ["yard", 1, "yards? yds? 码"],
  ["foot", 1, "feet foot ft 英尺 呎"],
  ["inch", 1, "inch(?:es)? 英寸 英吋 吋"],
  ["丈", 1, "丈(?!夫)"],
  ["丈", 0.1, "尺"],
  ["丈", 0.01, "寸"],
  ["m2", 1, "square\\smet(?:er|re)s? m2 m² 平方米 ㎡"],
  ["m2", 1e-4, "square\\scentimet(?:er|re)s? cm2 cm² 平方厘米"],
  ["m2", 1e6, "square\\skilomet(?:er|re)s? km2 km² 平方公里 平方千米 ㎢"],
  ["m2", 1e4, "hectares? 公顷"],
  ["acre", 1, "acres? 英亩"],
  ["亩", 1, "亩"],
  ["亩", 100, "顷"],
  ["square mile", 1, "square\\smiles? sq\\.?\\smi 平方英里"],
  ["square foot", 1, "square\\sf(?:ee|oo)t sq\\.?\\sft ft2 ft² 平方英尺 平方呎"],
  ["l", 1000, "cubic\\smet(?:er|re)s? m3 m³ 立方米 ㎥"],
  ["l", 0.001, "cubic\\scentimet(?:er|re)s? cm3 cm³ 立方厘米"],
  ["km/h", 1, "km/h kph 公里/小时"],
  ["mph", 1, "mph 英里/小时"],
  ["W", 1, "watts? 瓦特 瓦"],
  ["W", 1e3, "kilowatts? kW 千瓦"],
  ["W", 1e6, "megawatts? MW 兆瓦"],
  ["A", 1, "amp(?:ere)?s? 安培 安(?![全排装静徽])"],
  ["A", 1e-3, "milliamp(?:ere)?s? mA 毫安"],
  ["V", 1, "volts? 伏特 伏"],
  ["V", 1e-3, "millivolts? mV 毫伏"],
  ["V", 1e3, "kilovolts? kV 千伏"],
  ["Hz", 1, "hertz Hz 赫兹"],
  ["Hz", 1e3, "kilohertz kHz 千赫"],
  ["Hz", 1e6, "megahertz MHz 兆赫"],
  ["Hz", 1e9, "gigahertz GHz"],
  ["g", 0.001, "milligrams? mg 毫克 ㎎"],
  ["g", 1, "grams? 克"],
  ["g", 500, "斤 市斤"],
  ["g", 50, "两(?![个名位次种座家部支条岁层所年天百千万亿])"],
  ["g", 1000, "kilograms? kilos? kg 公斤 千克 ㎏"],
  ["g", 1e6, "tonnes? (?:metric\\s)?tons? 公吨 吨"],
  ["pound", 1, "lbs? 磅"],
  ["ounce", 1, "ounces? oz 盎司"],
  ["gallon", 1, "gallons? 加仑"],
  ["l", 0.001, "millilit(?:er|re)s? ml 毫升"],
  ["l", 1, "lit(?:er|re)s? 公升 升"],
  ["byte", 1e3, "kb"],
  ["byte", 1e6, "mb"],
  ["byte", 1e9, "gb"],
  ["byte", 1e12, "tb"],
  ["°C", 1, "°\\s?c ℃ 摄氏度 degrees\\scelsius"],
  ["°F", 1, "°\\s?f 华氏度 degrees\\sfahrenheit"],
];

/** Symbols that mean something else in the other case, such as G, H and MW. */
const SYMBOLS: ReadonlyMap<string, { base: string; factor: number }> = new Map([
  ["m", { base: "m", factor: 1 }],
  ["g", { base: "g", factor: 1 }],
  ["h", { base: "s", factor: 3600 }],
  ["d", { base: "s", factor: 86_400 }],
  ["t", { base: "g", factor: 1e6 }],
  ["l", { base: "l", factor: 1 }],
  ["L", { base: "l", factor: 1 }],
  ["ha", { base: "m2", factor: 1e4 }],
  ["mW", { base: "W", factor: 1e-3 }],
]);
/** Some are units only right after a digit and at the end of a word. 3d is a dimension, 22d an ordinal. */
const SYMBOL =
  "(?:[mg](?![a-z])|(?<=(?<!\\w)\\d[\\d.,]{0,18}[\\s-]?)(?:h|(?<![23]-?)d|t|l|ha)(?![\\w\\u00c0-\\u024f'’-]))";

const CURRENCIES: readonly (readonly [code: string, before: string, after: string])[] = [
  ["HKD", "HK\\$ HKD", "HKD 港元 港币"],
  ["USD", "US\\$ USD \\$", "US\\sdollars? dollars? USD 美元 美金"],
  ["EUR", "€ EUR", "euros? EUR € 欧元"],
  ["GBP", "£ GBP", "pounds?(?:\\ssterling)? GBP £ 英镑"],
  ["JPY", "JPY", "yen JPY 日元 日圆"],
  ["CNY", "¥ CNY RMB 人民币", "yuan CNY RMB 元人民币 人民币 元 块钱"],
];

const alternatives = (names: string) => names.split(" ");
const anyOf = (names: readonly string[]) => `(?:${names.toSorted((a, b) => b.length - a.length).join("|")})`;
/** No letter may follow a Latin unit; anything may follow a Chinese one. */
const bounded = (names: readonly string[]) =>
  `(?:${anyOf(names.filter((name) => /[a-z]/i.test(name)))}(?![a-z])|${anyOf(names.filter((name) => !/[a-z]/i.test(name)))})`;

export const UNIT = `(?:${bounded(UNITS.flatMap(([, , names]) => alternatives(names)))}|${SYMBOL})`;
export const MONEY_BEFORE = anyOf(CURRENCIES.flatMap(([, before]) => alternatives(before)));
export const MONEY_AFTER = bounded(CURRENCIES.flatMap(([, , after]) => alternatives(after)));

const whole = (names: string) => new RegExp(`^(?:${alternatives(names).join("|")})$`, "i");
const UNIT_NAMES = UNITS.map(([base, factor, names]) => ({ base, factor, is: whole(names) }));
const CURRENCY_NAMES = CURRENCIES.map(([code, before, after]) => ({ code, is: whole(`${before} ${after}`) }));

export const unitOf = (name: string) => SYMBOLS.get(name) ?? UNIT_NAMES.find(({ is }) => is.test(name));
export const currencyOf = (name: string) => CURRENCY_NAMES.find(({ is }) => is.test(name))?.code;
