/** Passages of an invented team, with questions and claims about them. Written for the trial of a chat model. */
export interface TrialSet {
  sources: readonly { title: string; text: string }[];
  /** A question, the words of a right answer (any of them), and the number of its source. */
  answers: readonly { question: string; words: readonly string[]; source: number }[];
  /** Questions that nothing here answers, though something nearly does. */
  refusals: readonly string[];
  /** What the named source states, in other words, or nearly states. */
  claims: readonly { text: string; source: number; isTrue: boolean }[];
}

export const TRIAL: readonly TrialSet[] = [
  {
    sources: [
      {
        title: "Travel",
        text: "Trips within the country are booked by the team assistant. Flights of more than six hours may be booked in premium economy, if the head of the department agrees in writing. Hotels cost at most 140 euros a night, in Zurich and London 190 euros. Claims are handed in within 30 days of the return; after that, nothing is paid.",
      },
      {
        title: "Working from home",
        text: "After the probation period, everybody may work from home on two days a week. During probation, one day a week is possible if the mentor agrees. Nobody works from home on the first Monday of the month, when all teams meet at the mill.",
      },
      {
        title: "Keys and badges",
        text: "The reception hands out badges from eight to noon. A lost badge is blocked at once: call 4410. A new one costs 15 euros, which the company pays the first time. Visitors get a day badge and are met at the gate.",
      },
      {
        title: "Leave",
        text: "There are 28 days of paid leave a year:\n\n- 24 of them are planned by the end of January\n- 4 may be taken at short notice\n\nUp to 5 days that are left move into the next year and lapse on 31 March.",
      },
    ],
    answers: [
      { question: "What may a hotel in London cost me per night?", words: ["190"], source: 1 },
      {
        question: "I started last week. How often can I stay at home to work?",
        words: ["one day", "1 day", "once"],
        source: 2,
      },
      {
        question: "I have three days of holiday over. Until when do I have to use them up?",
        words: ["31 march", "march 31", "end of march"],
        source: 4,
      },
    ],
    refusals: [
      "Which number do I call if I lose the key of my locker?",
      "Who has to agree before I fly business class?",
      "How many days of parental leave do I get?",
    ],
    claims: [
      { text: "Nobody has to pay for the first badge that they lose.", source: 3, isTrue: true },
      { text: "Of the paid days off, all but four have to be planned early in the year.", source: 4, isTrue: true },
      { text: "For a flight of seven hours, premium economy may always be booked.", source: 1, isTrue: false },
      { text: "All unused leave moves into the next year.", source: 4, isTrue: false },
    ],
  },
  {
    sources: [
      {
        title: "Tern kettle",
        text: "The Tern holds 1.7 litres and boils a full load in five minutes. It switches off when it is empty. Its warranty lasts 30 months; the heating plate is covered for five years. Descale it every six weeks with the powder that comes with it.",
      },
      {
        title: "Heron kettle",
        text: "The Heron holds 1.2 litres. It keeps water warm for half an hour, at 70 or 85 degrees. It has no filter. Its warranty lasts 24 months. Descale it every three months.",
      },
      {
        title: "Repairs",
        text: "Send a broken kettle to the workshop in Lund. Within the warranty, a repair is free and takes ten working days. Later, we ask for 35 euros in advance. We do not repair kettles that were opened by somebody else.",
      },
      {
        title: "Orders from shops",
        text: "Shops order by the case. The Tern comes in cases of six, the Heron in cases of eight. Orders of more than ten cases are sent free of charge within Scandinavia. Marta Lind answers questions of shops in Norway, Oskar Holm those in Denmark.",
      },
    ],
    answers: [
      {
        question: "How long am I covered if the plate that heats my Tern breaks?",
        words: ["five years", "5 years"],
        source: 1,
      },
      { question: "We are a shop in Denmark. Whom do we ask?", words: ["oskar holm"], source: 4 },
      { question: "My kettle is three years old and broken. What do I pay up front?", words: ["35"], source: 3 },
    ],
    refusals: [
      "At which temperatures does the Tern keep water warm?",
      "Who answers questions of shops in Sweden?",
      "What does the Heron cost?",
    ],
    claims: [
      { text: "You need to remove limescale from a Heron four times a year.", source: 2, isTrue: true },
      { text: "If somebody else has opened the kettle, the workshop turns it down.", source: 3, isTrue: true },
      { text: "The Heron comes with a filter.", source: 2, isTrue: false },
      { text: "Oskar Holm looks after the shops in Norway.", source: 4, isTrue: false },
    ],
  },
  {
    sources: [
      {
        title: "差旅报销",
        text: "出差结束后十五天内提交报销单，逾期需部门经理签字，超过三个月不予报销。住宿标准：一线城市每晚不超过五百元，其他城市不超过三百五十元。乘坐高铁可报二等座；总监及以上可报一等座。",
      },
      {
        title: "考勤",
        text: "上班时间为九点至十八点，可在前后一小时内弹性调整。每月迟到三次以内不扣款，从第四次起每次扣五十元。外勤须提前一天在系统中登记，由组长批准。",
      },
      {
        title: "年假",
        text: "入职满一年后享有年假：\n\n- 满一年不满五年：七天\n- 满五年不满十年：十天\n- 满十年：十五天\n\n未休完的年假可延至次年六月底，之后作废。",
      },
      {
        title: "门禁卡",
        text: "门禁卡在一楼前台办理，工作日十点至十六点。卡丢失后请立即致电前台挂失，补办费二十元，由本人承担。访客由接待人到大堂登记领取临时卡。",
      },
    ],
    answers: [
      { question: "我工作六年了，一年能休几天假？", words: ["十天", "10天", "10 天"], source: 3 },
      { question: "这个月我迟到了四次，要扣多少钱？", words: ["五十", "50"], source: 2 },
      { question: "卡弄丢了，重新办一张谁出钱？", words: ["本人", "自己", "您", "你"], source: 4 },
    ],
    refusals: ["总监出差可以坐商务舱飞机吗？", "产假有多少天？", "周六去哪里补办门禁卡？"],
    claims: [
      { text: "没用完的年假过了次年六月就没有了。", source: 3, isTrue: true },
      { text: "去外面办事，要提前一天登记，还要组长同意。", source: 2, isTrue: true },
      { text: "普通员工坐高铁可以报销一等座。", source: 1, isTrue: false },
      { text: "出差回来一个月后才交报销单，一律不予报销。", source: 1, isTrue: false },
    ],
  },
  {
    sources: [
      {
        title: "青禾水泵说明",
        text: "青禾水泵由安澜机械生产，功率三千瓦，扬程四十米，每年检修一次。保修期两年，密封圈属于易损件，不在保修范围内。环境温度低于零下十度时不得启动。",
      },
      {
        title: "白鹭水泵说明",
        text: "白鹭水泵功率一千五百瓦，扬程二十五米，适合家庭使用，每半年检修一次。保修期三年。可以在雨中使用，但不得浸入水中。",
      },
      {
        title: "售后服务",
        text: "报修电话每天八点至二十点接听。保修期内上门维修免费，市区二十四小时内到达，郊区四十八小时内到达。超过保修期的，收取上门费八十元，零件另计。",
      },
      {
        title: "培训",
        text: "经销商培训每季度一次，由王敏主讲，地点在苏州。参加者须通过考试，才能获得维修资格。考试不通过的，可以在三个月后补考一次。",
      },
    ],
    answers: [
      {
        question: "我家在郊区，打了电话以后多久会有人来修？",
        words: ["四十八小时", "48小时", "48 小时", "两天"],
        source: 3,
      },
      { question: "小功率那款水泵保修多长时间？", words: ["三年", "3年", "3 年"], source: 2 },
      { question: "考试没过，什么时候能再考？", words: ["三个月", "3个月", "3 个月"], source: 4 },
    ],
    refusals: ["白鹭水泵是哪家公司生产的？", "培训要交多少费用？", "青禾水泵能在雨中使用吗？"],
    claims: [
      { text: "青禾水泵的密封圈坏了，厂家不负责保修。", source: 1, isTrue: true },
      { text: "只有考试合格的人才能拿到维修资格。", source: 4, isTrue: true },
      { text: "白鹭水泵可以放到水里使用。", source: 2, isTrue: false },
      { text: "过了保修期，上门费和零件一共收八十元。", source: 3, isTrue: false },
    ],
  },
];
