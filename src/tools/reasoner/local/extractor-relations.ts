import { plain } from "../../../text/tokens.js";

/**
 * Whether words name a relation that one thing has to another: "head", "chief executive", 负责人, 联系电话. Judged by the
 * last word, from a closed list: "X is the Y of Z" states such a relation for these, and almost anything for the rest
 * ("the result of", "the kind of"; 存放读数的服务).
 */
export const isRelation = (words: string) => ENGLISH.test(plain(words)) || CHINESE.test(words);

/** Whether a relation of this name leads to a person, where it leads to something that may be one. */
export const isRole = (words: string) => ENGLISH_ROLE.test(plain(words)) || CHINESE_ROLE.test(words);

const among = (words: string) => words.trim().split(/\s+/).join("|");

const ROLES = among(`
  head lead leader manager director chief executive ceo cto cfo president chair chairman chairwoman chairperson
  founder co-founder cofounder owner author editor deputy assistant secretary treasurer mayor minister governor king queen
  prime-minister ambassador principal dean rector coach captain supervisor mentor buddy inventor
  architect composer designer producer wife husband spouse father mother son daughter brother sister
  contact spokesperson representative host recorder organiser organizer approver reviewer maintainer present attendee participant
`);
const CHINESE_ROLES = among(`
  负责人 主管 经理 主任 总裁 董事长 部长 组长 科长 处长 厂长 站长 店长 校长 院长 会长 局长 市长 省长 县长 主席 总统 总理 书记 秘书 助理
  创始人 创办人 联合创始人 作者 编者 主编 导演 编剧 主演 发明人 设计师 总工程师 联系人 代理人 法定代表人 发言人 主持 主持人 记录 记录人
  召集人 审批人 批准人 复核人 审核人 班主任 队长 教练 导师 妻子 丈夫 父亲 母亲 儿子 女儿 哥哥 弟弟 姐姐 妹妹 董事 监事 出席 参会人 与会人
`);
const NOUNS = among(`
  address telephone phone fax e-mail email website homepage postcode location venue place room floor headquarters capital
  supplier manufacturer vendor maker customer client subsidiary parent owner-company sponsor successor predecessor
  price cost fee weight size length width height depth area population capacity range accuracy resolution warranty lifetime
  lifespan interval period deadline budget revenue turnover currency language version release model number code
  abbreviation acronym nickname date time hours seats status priority severity colour color material interface protocol
  birthplace birthday nationality profession team department category type licence license
`);
const CHINESE_NOUNS = among(`
  地址 电话 号码 传真 邮箱 邮件 网址 主页 网站 邮编 地点 会议室 楼层 总部 首都 省会 供应商 制造商 生产商 厂家 客户 母公司 子公司 分公司 合作方
  价格 单价 费用 费率 重量 尺寸 长度 宽度 高度 深度 面积 人口 容量 量程 精度 分辨率 保修期 有效期 保质期 寿命 周期 期限 截止日期 预算 收入 营业额
  货币 语言 版本 型号 编号 代码 简称 全称 英文名 中文名 别名 日期 时间 座位 人数 状态 优先级 颜色 材质 接口 协议 出生地 生日 国籍 职业 部门 类别 类型
  前身 创办时间 成立时间
`);

const ENGLISH_ROLE = new RegExp(`(?:^|[\\s-])(?:${ROLES})s?$`);
const CHINESE_ROLE = new RegExp(`(?:${CHINESE_ROLES})$`);
const ENGLISH = new RegExp(`(?:^|[\\s-])(?:${ROLES}|${NOUNS})s?$`);
const CHINESE = new RegExp(`(?:${CHINESE_ROLES}|${CHINESE_NOUNS})$`);
