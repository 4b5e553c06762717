"""Made-up facts of a small company, said in English and in Chinese, as prose, lists and tables.

Public sets of questions hold next to no tables, no lists, and no question in another language than its passage. These
rows are of that kind: a topic has things (cities, products, teams), each with a few attributes; a passage tells some of
them in one language and one form; a question or claim about one of them comes in either language.
"""
import random

CITIES = "Berlin 柏林|Zurich 苏黎世|Hamburg 汉堡|Lyon 里昂|Oslo 奥斯陆|Madrid 马德里|Porto 波尔图|Shanghai 上海|Chengdu 成都|Shenzhen 深圳|Hangzhou 杭州|Xi'an 西安|Tokyo 东京|Boston 波士顿|Toronto 多伦多|Leeds 利兹|Vienna 维也纳|Prague 布拉格|Suzhou 苏州|Wuhan 武汉"
TEAMS = "purchasing 采购部|sales 销售部|support 客服部|finance 财务部|human resources 人力资源部|legal 法务部|design 设计部|research 研发部|quality 质量部|logistics 物流部|marketing 市场部|security 安全部|facilities 行政部|training 培训部|data 数据部"
LEAVES = "parental leave 育儿假|annual leave 年假|sick leave 病假|study leave 进修假|moving leave 搬家假|wedding leave 婚假|bereavement leave 丧假|unpaid leave 无薪假|care leave 护理假|volunteer leave 志愿者假"
SERVICES = "the payment service 支付服务|the mail server 邮件服务器|the search index 搜索索引|the build server 构建服务器|the customer portal 客户门户|the door system 门禁系统|the backup system 备份系统|the phone system 电话系统|the wiki 内部维基|the order system 订单系统"
ROOMS = "the canteen 食堂|the library 图书室|the workshop 车间|the reception 前台|the gym 健身房|the warehouse 仓库|the laboratory 实验室|the car park 停车场|the post room 收发室|the showroom 展厅"
PLANS = "the basic plan 基础版|the team plan 团队版|the business plan 商业版|the enterprise plan 企业版|the student plan 学生版|the trial plan 试用版|the partner plan 合作伙伴版"
PEOPLE = "Anna Keller 安娜·凯勒|Joost van Rees 约斯特·范里斯|Mira Patel 米拉·帕特尔|Tom Brandt 汤姆·布兰特|Li Wen 李雯|Zhang Qiang 张强|Sofia Rossi 索菲亚·罗西|Wang Fang 王芳|Chen Jie 陈杰|Peter Lund 彼得·伦德|Zhao Min 赵敏|Eva Novak 伊娃·诺瓦克|Liu Yang 刘洋|Omar Haddad 奥马尔·哈达德|Ruth Meier 露特·迈尔|Sun Lei 孙磊"
KINDS = "contracts 合同|invoices 发票|job applications 求职材料|access logs 访问日志|video recordings 监控录像|e-mails 电子邮件|payroll records 工资记录|meeting minutes 会议纪要|test reports 检测报告|customer files 客户档案"
COLOURS = "black 黑色|white 白色|dark grey 深灰色|blue 蓝色|red 红色|olive green 橄榄绿|silver 银色|orange 橙色"
PROTOCOLS = "EtherCAT EtherCAT|Modbus TCP Modbus TCP|PROFINET PROFINET|CANopen CANopen|OPC UA OPC UA|MQTT MQTT|Bluetooth 蓝牙"
DAYS = "Monday 周一|Tuesday 周二|Wednesday 周三|Thursday 周四|Friday 周五|Saturday 周六|Sunday 周日"
MONTHS = "January February March April May June July August September October November December".split()


def halves(entry):
    """"the mail server 邮件服务器" as its English and its Chinese; what is alike in both stands twice."""
    words = entry.split(" ")
    first = next((i for i, word in enumerate(words) if not word.isascii()), len(words) // 2)
    return " ".join(words[:first]), " ".join(words[first:])


def pool(text):
    return [halves(entry) for entry in text.split("|")]


def product(r):
    code = f"{''.join(r.choices('ABCDEFGHKLMPRSTX', k=r.choice([1, 2, 2, 3])))}-{r.choice([r.randint(2, 12), r.randint(20, 99), r.randint(100, 950)])}{r.choice(['', '', '', 'B', 'S', ' Pro'])}"
    return code, code


def several(maker):
    return lambda r, n: list({maker(r): None for _ in range(3 * n)})[:n]


def drawn(text):
    return lambda r, n: r.sample(pool(text), min(n, len(pool(text))))


# Values: a function of a random generator that says one in English and in Chinese.
def money(low, high, step=10):
    def value(r):
        amount = r.randrange(low, high, step)
        code, zh = r.choice([("EUR", "欧元"), ("EUR", "欧元"), ("USD", "美元"), ("yuan", "元"), ("CHF", "瑞士法郎")])
        return (f"{amount:,} {code}" if r.random() < 0.7 else f"{amount} {code}"), f"{amount}{zh}"
    return value


def count(low, high, en, zh, step=1):
    def value(r):
        n = r.randrange(low, high, step)
        return f"{n} {en[:-1] if n == 1 and en.endswith('s') else en}", f"{n}{zh}"
    return value


def decimal(low, high, en, zh):
    def value(r):
        n = round(r.uniform(low, high), r.choice([1, 2]))
        return f"{n} {en}", f"{n}{zh}"
    return value


def date(r):
    year, month, day = r.randint(2015, 2027), r.randint(1, 12), r.randint(1, 28)
    return r.choice([f"{day} {MONTHS[month - 1]} {year}", f"{MONTHS[month - 1]} {day}, {year}"]), f"{year}年{month}月{day}日"


def clock(r):
    hour, minute = r.randint(6, 21), r.choice([0, 0, 15, 30, 45])
    return f"{hour}:{minute:02}", f"{hour}:{minute:02}"


def one_of(text):
    return lambda r: r.choice(pool(text))


# A topic: its title in both languages, its things, and what is told of each:
# (English name, Chinese name, value, English questions, Chinese questions, English sentence, Chinese sentence); {x} the thing, {v} the value.
TOPICS = [
    (("Travel rules", "差旅规定"), ("City", "城市"), drawn(CITIES), [
        ("hotel limit per night", "住宿上限（每晚）", money(80, 400),
         ["What is the hotel limit in {x}?", "How much may a hotel in {x} cost per night?", "What can I spend on a room in {x}?"],
         ["{x}的住宿上限是多少？", "在{x}住酒店一晚最多能报多少？", "去{x}出差，房费最多多少？"],
         "In {x} a hotel may cost at most {v} per night.", "{x}的住宿上限为每晚{v}。"),
        ("daily allowance", "每日补贴", money(20, 120),
         ["What is the daily allowance in {x}?", "How much do I get a day when I travel to {x}?"],
         ["{x}的每日补贴是多少？", "去{x}出差一天补多少钱？"],
         "The daily allowance for {x} is {v}.", "{x}的出差补贴为每天{v}。"),
        ("local contact", "当地联系人", one_of(PEOPLE),
         ["Who is the contact in {x}?", "Whom do I call when I am in {x}?"],
         ["{x}的联系人是谁？", "到了{x}有事找谁？"],
         "{v} is the local contact in {x}.", "{x}的当地联系人是{v}。"),
        ("train from headquarters", "从总部乘火车", count(1, 14, "hours", "小时"),
         ["How long does the train to {x} take?"], ["坐火车去{x}要多久？"],
         "The train from headquarters to {x} takes {v}.", "从总部乘火车到{x}需要{v}。"),
    ]),
    (("Product data", "产品数据"), ("Model", "型号"), several(product), [
        ("weight", "重量", decimal(0.2, 40, "kg", "公斤"),
         ["How heavy is the {x}?", "What does the {x} weigh?"], ["{x}有多重？", "{x}的重量是多少？"],
         "The {x} weighs {v}.", "{x}重{v}。"),
        ("price", "价格", money(50, 9000),
         ["How much is the {x}?", "What does the {x} cost?", "What's the price of the {x}?"], ["{x}多少钱？", "{x}的价格是多少？", "买一台{x}要花多少钱？"],
         "The {x} costs {v}.", "{x}的售价为{v}。"),
        ("colour", "颜色", one_of(COLOURS),
         ["What colour is the {x}?", "Which colour does the {x} come in?"], ["{x}是什么颜色的？"],
         "The {x} comes in {v}.", "{x}为{v}。"),
        ("warranty", "保修期", count(6, 61, "months", "个月", 6),
         ["How long is the warranty on the {x}?", "How many months is the {x} covered?"], ["{x}保修多久？", "{x}的保修期是几个月？"],
         "The warranty of the {x} is {v}.", "{x}的保修期为{v}。"),
        ("interface", "接口", one_of(PROTOCOLS),
         ["Which protocol does the {x} speak?", "What interface does the {x} have?"], ["{x}用的是什么协议？", "{x}支持哪种接口？"],
         "The {x} speaks {v} only.", "{x}只支持{v}。"),
        ("battery life", "续航", count(4, 60, "hours", "小时"),
         ["How long does the battery of the {x} last?"], ["{x}充一次电能用多久？", "{x}的续航时间有多长？"],
         "The battery of the {x} lasts {v}.", "{x}的续航时间为{v}。"),
        ("on sale since", "上市日期", date,
         ["When did the {x} come out?", "Since when has the {x} been on sale?"], ["{x}是什么时候上市的？"],
         "The {x} has been on sale since {v}.", "{x}于{v}上市。"),
        ("delivery time", "交货期", count(2, 90, "working days", "个工作日"),
         ["How long does delivery of the {x} take?", "When would a {x} arrive if I order today?"], ["{x}多久能到货？", "{x}的交货期是多少？"],
         "The {x} is delivered within {v}.", "{x}的交货期为{v}。"),
    ]),
    (("Teams", "部门"), ("Team", "部门"), drawn(TEAMS), [
        ("head", "负责人", one_of(PEOPLE),
         ["Who leads {x}?", "Who is the head of {x}?", "Who runs {x} these days?"], ["{x}的负责人是谁？", "{x}归谁管？"],
         "{v} leads {x}.", "{x}由{v}负责。"),
        ("people", "人数", count(2, 80, "people", "人"),
         ["How many people work in {x}?", "How big is {x}?"], ["{x}有多少人？"],
         "{x} has {v}.", "{x}共有{v}。"),
        ("approval limit", "审批额度", money(500, 50000, 500),
         ["Up to what amount may {x} approve?", "How much can {x} sign off alone?"], ["{x}能批多大金额？", "{x}的审批额度是多少？"],
         "{x} may approve orders up to {v}.", "{x}可审批不超过{v}的订单。"),
        ("budget", "预算", money(10000, 900000, 1000),
         ["What is the budget of {x}?"], ["{x}的预算是多少？"],
         "The yearly budget of {x} is {v}.", "{x}的年度预算为{v}。"),
        ("weekly meeting", "周会", one_of(DAYS),
         ["On which day does {x} meet?", "When is the weekly meeting of {x}?"], ["{x}周几开会？", "{x}的周会在哪天？"],
         "{x} meets every {v}.", "{x}的周会在{v}。"),
        ("office", "办公室", count(1, 9, "rooms", "间"),
         ["How many rooms does {x} have?"], ["{x}有几间办公室？"], "{x} has {v}.", "{x}有{v}办公室。"),
    ]),
    (("Leave", "休假"), ("Kind", "类别"), drawn(LEAVES), [
        ("length", "天数", count(1, 61, "days", "天"),
         ["How many days of {x} are there?", "How long is {x}?", "How much {x} do I get?"], ["{x}有几天？", "能休多少天{x}？"],
         "{x} is {v} a year.", "{x}每年{v}。"),
        ("notice", "提前申请", count(1, 12, "weeks", "周"),
         ["How early must I ask for {x}?", "What is the notice for {x}?"], ["{x}要提前多久申请？"],
         "{x} has to be asked for {v} ahead.", "申请{x}须提前{v}。"),
        ("decided by", "审批人", one_of(PEOPLE),
         ["Who approves {x}?", "Who decides about {x}?"], ["{x}由谁审批？", "{x}找谁批？"],
         "{v} decides about {x}.", "{x}由{v}审批。"),
        ("pay", "工资", count(40, 101, "percent", "%", 10),
         ["How much of the salary is paid during {x}?"], ["{x}期间发多少工资？"],
         "During {x}, {v} of the salary is paid.", "{x}期间发放{v}的工资。"),
    ]),
    (("Outages", "故障记录"), ("System", "系统"), drawn(SERVICES), [
        ("down for", "中断时长", count(3, 300, "minutes", "分钟"),
         ["How long was {x} down?", "How many minutes did {x} fail?"], ["{x}中断了多久？", "{x}停了多少分钟？"],
         "{x} was down for {v}.", "{x}中断了{v}。"),
        ("date", "日期", date,
         ["When did {x} fail?", "On which day was {x} down?"], ["{x}是哪天出的故障？", "{x}什么时候坏的？"],
         "{x} failed on {v}.", "{x}于{v}发生故障。"),
        ("repaired by", "修复人", one_of(PEOPLE),
         ["Who repaired {x}?", "Who fixed {x}?"], ["{x}是谁修好的？"],
         "{v} repaired {x}.", "{x}由{v}修复。"),
        ("backup", "备份频率", count(1, 25, "hours", "小时"),
         ["How often is {x} backed up?"], ["{x}多久备份一次？"],
         "{x} is backed up every {v}.", "{x}每{v}备份一次。"),
    ]),
    (("Opening hours", "开放时间"), ("Place", "地点"), drawn(ROOMS), [
        ("opens", "开门", clock,
         ["When does {x} open?", "What time can I get into {x} in the morning?"], ["{x}几点开门？"],
         "{x} opens at {v}.", "{x}{v}开门。"),
        ("closes", "关门", clock,
         ["When does {x} close?", "Until when is {x} open?"], ["{x}几点关门？", "{x}开到几点？"],
         "{x} closes at {v}.", "{x}{v}关门。"),
        ("closed on", "休息日", one_of(DAYS),
         ["On which day is {x} closed?"], ["{x}周几不开？"],
         "{x} is closed on {v}.", "{x}{v}不开放。"),
        ("seats", "座位", count(4, 200, "seats", "个座位"),
         ["How many seats does {x} have?"], ["{x}有多少个座位？"],
         "{x} has {v}.", "{x}有{v}。"),
    ]),
    (("Plans and prices", "套餐与价格"), ("Plan", "套餐"), drawn(PLANS), [
        ("price per month", "月费", money(5, 900, 5),
         ["What does {x} cost a month?", "How much is {x}?"], ["{x}一个月多少钱？", "{x}的月费是多少？"],
         "{x} costs {v} a month.", "{x}每月{v}。"),
        ("users", "用户数", count(1, 500, "users", "个用户"),
         ["How many users does {x} include?"], ["{x}包含多少个用户？"],
         "{x} includes {v}.", "{x}包含{v}。"),
        ("storage", "存储空间", count(5, 2000, "GB", "GB", 5),
         ["How much storage comes with {x}?"], ["{x}有多少存储空间？"],
         "{x} comes with {v} of storage.", "{x}提供{v}存储空间。"),
        ("reply within", "响应时间", count(1, 73, "hours", "小时"),
         ["How fast does support reply on {x}?"], ["{x}的客服多久回复？"],
         "On {x}, support replies within {v}.", "{x}的客服在{v}内回复。"),
        ("notice", "解约通知期", count(7, 91, "days", "天"),
         ["How long before the end must {x} be cancelled?"], ["取消{x}要提前多久？"],
         "{x} can be cancelled {v} ahead.", "{x}须提前{v}通知方可解约。"),
    ]),
    (("Retention", "保存期限"), ("Records", "资料"), drawn(KINDS), [
        ("kept for", "保存期限", count(1, 12, "years", "年"),
         ["How long are {x} kept?", "When may {x} be deleted?", "For how many years do we keep {x}?"], ["{x}要保存多久？", "{x}几年后可以销毁？"],
         "{x} are kept for {v}.", "{x}保存{v}。"),
        ("deleted by", "销毁人", one_of(PEOPLE),
         ["Who deletes {x}?"], ["{x}由谁销毁？"], "{v} deletes {x}.", "{x}由{v}销毁。"),
        ("checked every", "检查周期", count(1, 13, "months", "个月"),
         ["How often are {x} checked?"], ["{x}多久检查一次？"], "{x} are checked every {v}.", "{x}每{v}检查一次。"),
    ]),
]
TITLE, LABEL, THINGS, ATTRIBUTES = range(4)
NAME, VALUE, ASK, SAY = (0, 1), 2, (3, 4), (5, 6)


def capital(text):
    return text[:1].upper() + text[1:]


def rows(n, seed):
    """n rows of the data's form: questions (answerability, with their answer's place) and claims (support)."""
    r = random.Random(seed)
    made = []
    while len(made) < n:
        made += scene(r)
    return made[:n]


def scene(r):
    """One passage and what can be asked and claimed of it."""
    topic = r.choice(TOPICS)
    lang = r.choice([0, 1])
    things = topic[THINGS](r, r.randint(3, 7))
    told, absent = things[:-1], things[-1]
    attributes = r.sample(topic[ATTRIBUTES], min(len(topic[ATTRIBUTES]), r.randint(2, 4)))
    kept, missing = attributes[: max(1, len(attributes) - 1)], attributes[-1]
    facts = {(x, a[0]): a[VALUE](r) for x in things for a in attributes}
    passage, places = render(r, topic, told, kept, facts, lang)
    other = dict(id="", lang=["en", "zh"][lang], hard=True, doc="", split="train", b=passage)
    found = []
    x, a = r.choice(told), r.choice(kept)
    says = r.choice([lang, lang, 1 - lang])  # A third comes in the other language.
    mark = "" if says == lang else "-cross"
    ask = lambda thing, attribute: r.choice(attribute[ASK[says]]).format(x=thing[says])
    state = lambda thing, attribute, value: capital(attribute[SAY[says]].format(x=thing[says], v=value[says]))
    found.append(dict(other, task="answerability", set="facts" + mark, a=ask(x, a), label=1, answer=None, at=places[x, a[0]]))
    # Without an answer: a thing that is not told of, or something of it that is not told.
    nobody, nothing = (absent, a) if r.random() < 0.5 or missing in kept else (x, missing)
    found.append(dict(other, task="answerability", set="facts" + mark, a=ask(nobody, nothing), label=0))
    truth = facts[x, a[0]]
    found.append(dict(other, task="support", set="facts-claim" + mark, a=state(x, a, truth), label=1, kind="supported"))
    # Wrong: another row's value, else another value; with what is wrong marked.
    others = [facts[y, a[0]] for y in told if facts[y, a[0]] != truth]
    lie = r.choice(others) if others and r.random() < 0.7 else a[VALUE](r)
    if lie != truth:
        claim = state(x, a, lie)
        at = claim.find(lie[says])
        wrong = [at, at + len(lie[says])] if at >= 0 else None
        found.append(dict(other, task="support", set="facts-claim" + mark, a=claim, label=0, kind="contradicted", **({"wrong": wrong} if wrong else {})))
    if r.random() < 0.4:
        claim = state(nobody, nothing, facts[nobody, nothing[0]])
        found.append(dict(other, task="support", set="facts-claim" + mark, a=claim, label=0, kind="neutral", wrong=[0, len(claim)]))
    return found


def render(r, topic, told, attributes, facts, lang):
    """The passage, and where each value stands in it."""
    form = r.choice(["prose", "prose", "table", "words", "words", "list", "keys"])
    title = topic[TITLE][lang]
    places, parts = {}, []
    length = 0

    def put(text, key=None, value=""):
        nonlocal length
        if key is not None:
            at = text.find(value)
            places[key] = [length + at, length + at + len(value)] if at >= 0 else [length, length + len(text)]
        parts.append(text)
        length += len(text)

    if r.random() < 0.7 or form in ("list", "keys"):
        put(("# " if r.random() < 0.5 else "") + title + "\n")
    name = lambda a: a[NAME[lang]]
    value = lambda x, a: facts[x, a[0]][lang]
    if form == "prose":
        said = [(x, a) for x in told for a in attributes]
        if r.random() < 0.5:
            r.shuffle(said)
        for x, a in said:
            # Spans of prose are what answers, the value alone.
            put(capital(a[SAY[lang]].format(x=x[lang], v=value(x, a))), (x, a[0]), value(x, a))
            put(" " if lang == 0 else "")
    elif form == "table":
        put("| " + " | ".join([topic[LABEL][lang], *map(name, attributes)]) + " |\n")
        put("|" + "-|" * (1 + len(attributes)) + "\n")
        for x in told:
            put(f"| {capital(x[lang])} |")
            for a in attributes:
                put(f" {value(x, a)} |", (x, a[0]), value(x, a))
            put("\n")
    elif form == "words":
        for x in told:
            put(capital(x[lang]) + (": " if lang == 0 else "："))
            for i, a in enumerate(attributes):
                put((("; " if lang == 0 else "；") if i else "") + name(a) + " ")
                put(value(x, a), (x, a[0]), value(x, a))
            put("\n")
    elif form == "list":
        a = attributes[0]
        put(capital(name(a)) + (":\n" if lang == 0 else "：\n"))
        for x in told:
            put(f"- {capital(x[lang])}: ")
            put(value(x, a), (x, a[0]), value(x, a))
            put("\n")
        for b in attributes[1:]:
            for x in told:
                put(capital(b[SAY[lang]].format(x=x[lang], v=value(x, b))), (x, b[0]), value(x, b))
                put(" " if lang == 0 else "")
    else:
        for x in told:
            put(f"## {capital(x[lang])}\n")
            for a in attributes:
                put(capital(name(a)) + (": " if lang == 0 else "："))
                put(value(x, a), (x, a[0]), value(x, a))
                put("\n")
    return "".join(parts).strip(), places


if __name__ == "__main__":
    for row in rows(12, 5):
        print(row["set"], row["lang"], row["label"], "|", row["a"], "|", row["b"][slice(*row["at"])] if row.get("at") else "", row.get("wrong"))
        print("   ", row["b"].replace("\n", " / ")[:300])
