/** A question with a source, and the words of a right answer; empty where the source does not answer. */
export interface AnswerRow {
  question: string;
  source: string;
  answer: string;
}

/** Half of them cannot be answered: their source is about the same thing, and lacks what is asked. */
export const ANSWER_ROWS: readonly AnswerRow[] = [
  {
    question: "How long is the warranty of the Tern kettle?",
    source: "The Tern kettle holds 1.7 litres and comes with a warranty of 30 months. Descale it every six weeks.",
    answer: "30 months",
  },
  {
    question: "How much does the Tern kettle cost?",
    source: "The Tern kettle holds 1.7 litres and comes with a warranty of 30 months. Descale it every six weeks.",
    answer: "",
  },
  {
    question: "Who approves orders above 2,000 euros?",
    source: "Team leads approve orders of up to 2,000 euros. Larger orders are approved by the head of finance.",
    answer: "head of finance",
  },
  {
    question: "Who is the head of finance?",
    source: "Team leads approve orders of up to 2,000 euros. Larger orders are approved by the head of finance.",
    answer: "",
  },
  {
    question: "When is the pool closed?",
    source: "The pool is open every day from seven to nine. It is closed for cleaning in the first week of March.",
    answer: "first week of March",
  },
  {
    question: "What does a swim cost for children?",
    source: "The pool is open every day from seven to nine. It is closed for cleaning in the first week of March.",
    answer: "",
  },
  {
    question: "Where do visitors park?",
    source: "Visitors park behind the mill. Staff park in the yard and show their badge at the gate.",
    answer: "behind the mill",
  },
  {
    question: "Where do visitors of the Harbour Street office park?",
    source: "At the mill, visitors park behind the building. The Harbour Street office was opened in 2021.",
    answer: "",
  },
  {
    question: "报销单要在几天内提交？",
    source: "出差结束后，报销单应在十五天内提交给财务部。逾期需要部门经理签字。",
    answer: "十五天",
  },
  { question: "出差补贴每天多少钱？", source: "出差结束后，报销单应在十五天内提交给财务部。", answer: "" },
  {
    question: "图书馆周日几点开门？",
    source: "图书馆周一至周六早上八点开门，周日上午十点开门。借书证在一楼办理。",
    answer: "十点",
  },
  { question: "办理借书证要交多少押金？", source: "图书馆周日上午十点开门。借书证在一楼办理。", answer: "" },
  {
    question: "青禾水泵由哪家公司生产？",
    source: "青禾水泵由安澜机械生产，功率为三千瓦，每年检修一次。",
    answer: "安澜机械",
  },
  { question: "青禾水泵是哪一年上市的？", source: "青禾水泵由安澜机械生产，功率为三千瓦，每年检修一次。", answer: "" },
];

/** Claims in other words than their source. */
export const CLAIM_ROWS: readonly { claim: string; source: string; isTrue: boolean }[] = [
  {
    claim: "You can return the lamp free of charge for a month.",
    source: "Lamps may be sent back within 30 days. We pay for the return.",
    isTrue: true,
  },
  {
    claim: "You have to pay for sending the lamp back.",
    source: "Lamps may be sent back within 30 days. We pay for the return.",
    isTrue: false,
  },
  {
    claim: "The guards at the mill wear a uniform.",
    source: "At the quay, guards wear a uniform. The mill has no guards.",
    isTrue: false,
  },
  { claim: "新员工试用期满后可以远程办公。", source: "员工转正以后才能申请在家办公。", isTrue: true },
  { claim: "试用期内也可以在家办公。", source: "员工转正以后才能申请在家办公。", isTrue: false },
  { claim: "水泵每个月都要检修。", source: "青禾水泵每年检修一次。", isTrue: false },
];
