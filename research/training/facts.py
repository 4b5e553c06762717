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
# (English name, Chinese name, value, English questions, Chinese questions, English sentences, Chinese sentences, English and Chinese
# sentences that say something else); {x} the thing, {v} the value. The sentences all say the same, in other words.
TOPICS = [
    (("Travel rules", "差旅规定"), ("City", "城市"), drawn(CITIES), [
        ("hotel limit per night", "住宿上限（每晚）", money(80, 400),
         ["What is the hotel limit in {x}?", "How much may a hotel in {x} cost per night?", "What can I spend on a room in {x}?"],
         ["{x}的住宿上限是多少？", "在{x}住酒店一晚最多能报多少？", "去{x}出差，房费最多多少？"],
         "In {x} a hotel may cost at most {v} per night.|For a night in {x}, up to {v} is reimbursed.|Nobody may spend more than {v} a night on a room in {x}.|Accommodation in {x} is capped at {v} per night.",
         "{x}的住宿上限为每晚{v}。|在{x}住酒店，每晚最多报销{v}。|{x}每晚房费不得超过{v}。|去{x}出差，住一晚最高可报{v}。",
         "In {x} a hotel has to cost at least {v} per night.|Hotels in {x} may exceed {v} per night.",
         "{x}每晚房费不得低于{v}。|{x}的房费可以超过每晚{v}。"),
        ("daily allowance", "每日补贴", money(20, 120),
         ["What is the daily allowance in {x}?", "How much do I get a day when I travel to {x}?"],
         ["{x}的每日补贴是多少？", "去{x}出差一天补多少钱？"],
         "The daily allowance for {x} is {v}.|Whoever travels to {x} gets {v} a day.|For each day in {x}, travellers receive {v}.|{v} is paid per day of travel to {x}.",
         "{x}的出差补贴为每天{v}。|去{x}出差，每天补助{v}。|出差到{x}的员工每日可领{v}。|在{x}出差一天发{v}津贴。",
         "The weekly allowance for {x} is {v}.|Each day in {x} costs travellers {v} of their own.",
         "{x}的出差补贴为每周{v}。|去{x}出差每天须自付{v}。"),
        ("local contact", "当地联系人", one_of(PEOPLE),
         ["Who is the contact in {x}?", "Whom do I call when I am in {x}?"],
         ["{x}的联系人是谁？", "到了{x}有事找谁？"],
         "{v} is the local contact in {x}.|In {x}, turn to {v}.|If you need help in {x}, call {v}.|{v} looks after visitors in {x}.",
         "{x}的当地联系人是{v}。|到了{x}，有事请找{v}。|{v}负责在{x}接待来访同事。|在{x}遇到问题可致电{v}。",
         "{v} is no longer the contact in {x}.",
         "{v}已不再担任{x}的联系人。"),
        ("train from headquarters", "从总部乘火车", count(1, 14, "hours", "小时"),
         ["How long does the train to {x} take?"], ["坐火车去{x}要多久？"],
         "The train from headquarters to {x} takes {v}.|It takes {v} to get to {x} by rail.|{x} is {v} away by train.|By train, you reach {x} in {v}.",
         "从总部乘火车到{x}需要{v}。|坐火车去{x}路上要{v}。|{x}距总部{v}的火车车程。|乘火车{v}可到{x}。",
         "The flight to {x} takes {v}.|It takes {v} to drive to {x}.",
         "飞到{x}需要{v}。|开车去{x}要{v}。"),
    ]),
    (("Product data", "产品数据"), ("Model", "型号"), several(product), [
        ("weight", "重量", decimal(0.2, 40, "kg", "公斤"),
         ["How heavy is the {x}?", "What does the {x} weigh?"], ["{x}有多重？", "{x}的重量是多少？"],
         "The {x} weighs {v}.|The weight of the {x} is {v}..|{v} is what the {x} weighs.",
         "{x}重{v}。|{x}的重量为{v}。|一台{x}有{v}重。|{x}的自重是{v}。",
         "The {x} carries up to {v}.|The {x} weighs less than half of {v}.",
         "{x}最多可承重{v}。|{x}的重量不到{v}的一半。"),
        ("price", "价格", money(50, 9000),
         ["How much is the {x}?", "What does the {x} cost?", "What's the price of the {x}?"], ["{x}多少钱？", "{x}的价格是多少？", "买一台{x}要花多少钱？"],
         "The {x} costs {v}.|The {x} sells for {v}.|Buyers pay {v} for a {x}.|The {x} is priced at {v}.",
         "{x}的售价为{v}。|{x}卖{v}。|购买一台{x}需{v}。|{x}标价{v}。",
         "Renting the {x} costs {v} a year.|The {x} was made cheaper by {v}.",
         "租用{x}每年{v}。|{x}降价{v}。"),
        ("colour", "颜色", one_of(COLOURS),
         ["What colour is the {x}?", "Which colour does the {x} come in?"], ["{x}是什么颜色的？"],
         "The {x} comes in {v}.|The {x} is {v}.|The housing of the {x} is {v}.|We sell the {x} in {v}.",
         "{x}为{v}。|{x}的机身是{v}的。|{x}采用{v}外壳。|我们出售{v}的{x}。",
         "The {x} comes in every colour except {v}.|The {x} is no longer made in {v}.",
         "{x}除{v}外各色都有。|{x}不再生产{v}款。"),
        ("warranty", "保修期", count(6, 61, "months", "个月", 6),
         ["How long is the warranty on the {x}?", "How many months is the {x} covered?"], ["{x}保修多久？", "{x}的保修期是几个月？"],
         "The warranty of the {x} is {v}.|The {x} is under warranty for {v}.|Defects of the {x} are repaired free of charge for {v}.|For {v} after purchase, the {x} is covered.|After {v} the warranty of the {x} lapses.",
         "{x}的保修期为{v}。|{x}保修{v}。|{x}自购买起{v}内免费维修。|{x}的保修在{v}后失效。|{x}质保{v}。",
         "The warranty of the {x} starts {v} after purchase.|Repairs of the {x} are charged for {v} after purchase.",
         "{x}的保修在购买{v}后才开始。|{x}购买后{v}内维修须付费。"),
        ("interface", "接口", one_of(PROTOCOLS),
         ["Which protocol does the {x} speak?", "What interface does the {x} have?"], ["{x}用的是什么协议？", "{x}支持哪种接口？"],
         "The {x} speaks {v} only.|{v} is the only protocol that the {x} understands.|The {x} communicates over {v} and nothing else.|To connect a {x}, you need {v}.",
         "{x}只支持{v}。|{x}仅通过{v}通信。|连接{x}须使用{v}。|{v}是{x}唯一支持的协议。",
         "The {x} speaks every protocol except {v}.|The {x} speaks {v} among others.",
         "{x}不支持{v}。|{x}支持{v}等多种协议。"),
        ("battery life", "续航", count(4, 60, "hours", "小时"),
         ["How long does the battery of the {x} last?"], ["{x}充一次电能用多久？", "{x}的续航时间有多长？"],
         "The battery of the {x} lasts {v}.|A full charge keeps the {x} running for {v}.|The {x} works for {v} without a socket.|Once charged, the {x} runs {v}.",
         "{x}的续航时间为{v}。|{x}充满电可用{v}。|{x}一次充电能工作{v}。|{x}不插电能运行{v}。",
         "Charging the {x} takes {v}.|The {x} runs for {v} after the battery warning.",
         "{x}充满电需要{v}。|{x}低电量警告后还能用{v}。"),
        ("on sale since", "上市日期", date,
         ["When did the {x} come out?", "Since when has the {x} been on sale?"], ["{x}是什么时候上市的？"],
         "The {x} has been on sale since {v}.|The {x} was launched on {v}.|Customers have been able to buy the {x} since {v}.|The {x} came out on {v}.",
         "{x}于{v}上市。|{x}自{v}起销售。|{x}在{v}推出。|从{v}开始可以买到{x}。",
         "The {x} was taken off the market on {v}.|The {x} was on sale until {v}.",
         "{x}于{v}停售。|{x}销售至{v}为止。"),
        ("delivery time", "交货期", count(2, 90, "working days", "个工作日"),
         ["How long does delivery of the {x} take?", "When would a {x} arrive if I order today?"], ["{x}多久能到货？", "{x}的交货期是多少？"],
         "The {x} is delivered within {v}.|Expect your {x} {v} after ordering.|It takes {v} at most until a {x} arrives.|We ship the {x} so that it arrives in {v}.",
         "{x}的交货期为{v}。|{x}下单后{v}内送达。|订购{x}最多等{v}。|{x}在{v}内到货。",
         "The {x} is delivered after {v} at the earliest.|The {x} can be returned within {v}.",
         "{x}最早{v}后才能交货。|{x}可在{v}内退货。"),
    ]),
    (("Teams", "部门"), ("Team", "部门"), drawn(TEAMS), [
        ("head", "负责人", one_of(PEOPLE),
         ["Who leads {x}?", "Who is the head of {x}?", "Who runs {x} these days?"], ["{x}的负责人是谁？", "{x}归谁管？"],
         "{v} leads {x}.|{v} is the head of {x}.|{x} reports to {v}.|{x} is run by {v}.|{v} is in charge of {x}.",
         "{x}由{v}负责。|{v}是{x}的负责人。|{v}领导{x}。|{x}归{v}管理。|{x}向{v}汇报。",
         "{v} reports to the head of {x}.|{v} has handed {x} over to somebody else.|{v} used to lead {x}.",
         "{v}向{x}的负责人汇报。|{v}已不再负责{x}。|{v}曾经负责{x}。"),
        ("people", "人数", count(2, 80, "people", "人"),
         ["How many people work in {x}?", "How big is {x}?"], ["{x}有多少人？"],
         "{x} has {v}.|{v} work in {x}.|{x} is a team of {v}.|The staff of {x} numbers {v}.",
         "{x}共有{v}。|{x}的编制为{v}。|有{v}在{x}工作。|{x}是个{v}的团队。",
         "{x} is looking for {v}.|{x} has lost {v}.",
         "{x}正在招聘{v}。|{x}减少了{v}。"),
        ("approval limit", "审批额度", money(500, 50000, 500),
         ["Up to what amount may {x} approve?", "How much can {x} sign off alone?"], ["{x}能批多大金额？", "{x}的审批额度是多少？"],
         "{x} may approve orders up to {v}.|{x} can sign orders of at most {v} alone.|Orders above {v} are beyond what {x} may sign.|Without asking anybody, {x} may spend up to {v}.",
         "{x}可审批不超过{v}的订单。|{x}的审批上限是{v}。|超过{v}的订单，{x}无权批准。|{x}最多能自行批准{v}的采购。",
         "{x} may approve orders from {v} upwards.|{x} has to ask for approval even below {v}.|{x} must approve every order above {v}.",
         "{x}可审批{v}以上的订单。|{v}以下的订单{x}也须报批。"),
        ("budget", "预算", money(10000, 900000, 1000),
         ["What is the budget of {x}?"], ["{x}的预算是多少？"],
         "The yearly budget of {x} is {v}.|{x} has {v} to spend a year.|Each year, {v} is set aside for {x}.|{x} works with {v} a year.",
         "{x}的年度预算为{v}。|{x}每年可支配{v}。|公司每年拨给{x}{v}。|{x}一年的经费是{v}。",
         "The monthly budget of {x} is {v}.|{x} exceeded its budget by {v}.",
         "{x}的月度预算为{v}。|{x}超支{v}。"),
        ("weekly meeting", "周会", one_of(DAYS),
         ["On which day does {x} meet?", "When is the weekly meeting of {x}?"], ["{x}周几开会？", "{x}的周会在哪天？"],
         "{x} meets every {v}.|The weekly meeting of {x} is on {v}.|Every {v}, {x} gets together.|{v} is the day when {x} meets.",
         "{x}的周会在{v}。|{x}每{v}开会。|{x}的例会定在{v}。|每逢{v}，{x}开碰头会。",
         "{x} never meets on {v}.|{x} meets on every day but {v}.",
         "{x}从不在{v}开会。|除{v}外，{x}每天都开会。"),
        ("office", "办公室", count(1, 9, "rooms", "间"),
         ["How many rooms does {x} have?"], ["{x}有几间办公室？"],
         "{x} has {v}.|{x} occupies {v}.|{v} belong to {x}.|{x} sits in {v}.",
         "{x}有{v}办公室。|{x}占用{v}办公室。|{x}在{v}办公室里办公。",
         "{x} needs {v} more.|{x} gave up {v}.",
         "{x}还缺{v}办公室。|{x}让出了{v}办公室。"),
    ]),
    (("Leave", "休假"), ("Kind", "类别"), drawn(LEAVES), [
        ("length", "天数", count(1, 61, "days", "天"),
         ["How many days of {x} are there?", "How long is {x}?", "How much {x} do I get?"], ["{x}有几天？", "能休多少天{x}？"],
         "{x} is {v} a year.|Everybody is entitled to {v} of {x} a year.|You get {v} of {x} each year.|Per year, {v} of {x} can be taken.",
         "{x}每年{v}。|每人每年享有{v}{x}。|员工一年可休{v}{x}。|每年可请{x}{v}。",
         "{x} is {v} a month.|{x} has to last at least {v} a year.",
         "{x}每月{v}。|每年至少须休{v}{x}。"),
        ("notice", "提前申请", count(1, 12, "weeks", "周"),
         ["How early must I ask for {x}?", "What is the notice for {x}?"], ["{x}要提前多久申请？"],
         "{x} has to be asked for {v} ahead.|Requests for {x} must come in {v} before it starts.|Apply for {x} at least {v} in advance.|{x} needs {v} of notice.",
         "申请{x}须提前{v}。|{x}应至少提前{v}提出。|要休{x}，请在{v}前申请。|{x}的申请须在开始前{v}递交。",
         "{x} can be asked for up to {v} afterwards.|{x} has to be taken within {v}.",
         "{x}可在事后{v}内补办申请。|{x}须在{v}内休完。"),
        ("decided by", "审批人", one_of(PEOPLE),
         ["Who approves {x}?", "Who decides about {x}?"], ["{x}由谁审批？", "{x}找谁批？"],
         "{v} decides about {x}.|{x} is approved by {v}.|{x} needs the consent of {v}.|Whether {x} is granted is up to {v}.",
         "{x}由{v}审批。|申请{x}须经{v}批准。|{x}找{v}批。|是否准{x}由{v}决定。",
         "{v} has applied for {x}.|{v} has no say in {x}.",
         "{v}申请了{x}。|{x}无须{v}批准。"),
        ("pay", "工资", count(40, 101, "percent", "%", 10),
         ["How much of the salary is paid during {x}?"], ["{x}期间发多少工资？"],
         "During {x}, {v} of the salary is paid.|Whoever is on {x} gets {v} of the salary.|Employees on {x} receive {v} of their pay.|On {x}, pay is {v} of the salary.",
         "{x}期间发放{v}的工资。|休{x}时工资按{v}发放。|{x}期间领{v}的薪水。",
         "During {x}, {v} of the salary is withheld.|After {x}, the salary goes up by {v}.",
         "{x}期间扣发{v}的工资。|休完{x}后工资上调{v}。"),
    ]),
    (("Outages", "故障记录"), ("System", "系统"), drawn(SERVICES), [
        ("down for", "中断时长", count(3, 300, "minutes", "分钟"),
         ["How long was {x} down?", "How many minutes did {x} fail?"], ["{x}中断了多久？", "{x}停了多少分钟？"],
         "{x} was down for {v}.|{x} could not be used for {v}.|It took {v} until {x} was back.|The outage of {x} lasted {v}.",
         "{x}中断了{v}。|{x}有{v}无法使用。|{x}的故障持续了{v}。|过了{v}，{x}才恢复。",
         "{x} ran for {v} before it failed.|{x} was never down for as long as {v}.",
         "{x}运行{v}后才出故障。|{x}的中断不到{v}。"),
        ("date", "日期", date,
         ["When did {x} fail?", "On which day was {x} down?"], ["{x}是哪天出的故障？", "{x}什么时候坏的？"],
         "{x} failed on {v}.|On {v}, {x} broke down.|The outage of {x} happened on {v}.|{x} went down on {v}.",
         "{x}于{v}发生故障。|{v}，{x}出现中断。|{x}的故障发生在{v}。|{x}在{v}宕机。",
         "{x} was introduced on {v}.|{x} has worked without an outage since {v}.",
         "{x}于{v}启用。|{x}自{v}起从未中断。"),
        ("repaired by", "修复人", one_of(PEOPLE),
         ["Who repaired {x}?", "Who fixed {x}?"], ["{x}是谁修好的？"],
         "{v} repaired {x}.|{x} was fixed by {v}.|{v} got {x} running again.|It was {v} who restored {x}.",
         "{x}由{v}修复。|{v}修好了{x}。|{v}让{x}恢复运行。|修复{x}的是{v}。",
         "{v} caused the failure of {x}.|{v} reported that {x} had failed.|{v} tried to repair {x} in vain.",
         "{x}的故障是{v}造成的。|{v}报告了{x}的故障。|{v}没能修好{x}。"),
        ("backup", "备份频率", count(1, 25, "hours", "小时"),
         ["How often is {x} backed up?"], ["{x}多久备份一次？"],
         "{x} is backed up every {v}.|A backup of {x} is made every {v}.|Every {v}, the data of {x} are copied.|Between two backups of {x} lie {v}.",
         "{x}每{v}备份一次。|每隔{v}对{x}做一次备份。|{x}的备份间隔为{v}。",
         "{x} is restarted every {v}.|A backup of {x} takes {v}.",
         "{x}每{v}重启一次。|备份{x}需要{v}。"),
    ]),
    (("Opening hours", "开放时间"), ("Place", "地点"), drawn(ROOMS), [
        ("opens", "开门", clock,
         ["When does {x} open?", "What time can I get into {x} in the morning?"], ["{x}几点开门？"],
         "{x} opens at {v}.|From {v} on, {x} is open.|Doors of {x} open at {v}.|Nobody gets into {x} before {v}.",
         "{x}{v}开门。|{x}从{v}起开放。|{v}之前{x}不开门。|{x}的开门时间是{v}。",
         "{x} closes at {v}.|{x} is open until {v}.",
         "{x}{v}关门。|{x}开放到{v}为止。"),
        ("closes", "关门", clock,
         ["When does {x} close?", "Until when is {x} open?"], ["{x}几点关门？", "{x}开到几点？"],
         "{x} closes at {v}.|{x} is open until {v}.|After {v}, {x} is shut.|{x} shuts its doors at {v}.",
         "{x}{v}关门。|{x}开放到{v}。|{v}以后{x}不再开放。|{x}的关门时间为{v}。",
         "{x} opens at {v}.|{x} is closed until {v}.",
         "{x}{v}开门。|{v}之前{x}不开放。"),
        ("closed on", "休息日", one_of(DAYS),
         ["On which day is {x} closed?"], ["{x}周几不开？"],
         "{x} is closed on {v}.|On {v}, {x} stays shut.|Nobody gets into {x} on {v}.|{x} does not open on {v}.",
         "{x}{v}不开放。|{x}每{v}休息。|{v}{x}关闭。|逢{v}，{x}不对外开放。",
         "{x} opens on {v} only.|On {v}, {x} is open longer than usual.",
         "{x}只在{v}开放。|{x}{v}延长开放。"),
        ("seats", "座位", count(4, 200, "seats", "个座位"),
         ["How many seats does {x} have?"], ["{x}有多少个座位？"],
         "{x} has {v}.|There are {v} in {x}.|{x} offers {v}.|In {x} you find {v}.",
         "{x}有{v}。|{x}设有{v}。|{x}里共{v}。",
         "{x} lacks {v}.|{v} were removed from {x}.",
         "{x}还缺{v}。|{x}撤掉了{v}。"),
    ]),
    (("Plans and prices", "套餐与价格"), ("Plan", "套餐"), drawn(PLANS), [
        ("price per month", "月费", money(5, 900, 5),
         ["What does {x} cost a month?", "How much is {x}?"], ["{x}一个月多少钱？", "{x}的月费是多少？"],
         "{x} costs {v} a month.|For {x}, {v} is billed each month.|Customers pay {v} per month for {x}.|The monthly fee of {x} is {v}.",
         "{x}每月{v}。|{x}的月费为{v}。|订阅{x}每个月要付{v}。|{x}按月收费{v}。",
         "{x} costs {v} a year.|{x} saves {v} a month.",
         "{x}每年{v}。|{x}每月可省{v}。"),
        ("users", "用户数", count(1, 500, "users", "个用户"),
         ["How many users does {x} include?"], ["{x}包含多少个用户？"],
         "{x} includes {v}.|Up to {v} can work with {x}.|{x} is limited to {v}.|No more than {v} fit into {x}.",
         "{x}包含{v}。|{x}最多支持{v}。|{x}限{v}使用。|{x}可供{v}使用。",
         "{x} requires at least {v}.|{x} allows more than {v}.",
         "{x}至少须有{v}。|{x}可超过{v}。"),
        ("storage", "存储空间", count(5, 2000, "GB", "GB", 5),
         ["How much storage comes with {x}?"], ["{x}有多少存储空间？"],
         "{x} comes with {v} of storage.|On {x}, {v} can be stored.|{x} gives you {v} for files.|Storage on {x} ends at {v}.",
         "{x}提供{v}存储空间。|{x}可存{v}数据。|{x}的存储上限为{v}。|{x}附带{v}空间。",
         "{x} needs {v} on your disk.|{x} deletes files above {v} only.",
         "{x}需占用{v}磁盘空间。|{x}的存储空间不含{v}。"),
        ("reply within", "响应时间", count(1, 73, "hours", "小时"),
         ["How fast does support reply on {x}?"], ["{x}的客服多久回复？"],
         "On {x}, support replies within {v}.|Customers of {x} hear from support after {v} at the latest.|{x} promises an answer of support in {v}.|Nobody on {x} waits longer than {v} for support.",
         "{x}的客服在{v}内回复。|{x}用户最迟{v}得到客服答复。|{x}承诺客服{v}内响应。",
         "On {x}, support replies after {v} at the earliest.|{x} includes {v} of support.",
         "{x}的客服至少{v}后才回复。|{x}包含{v}客服服务。"),
        ("notice", "解约通知期", count(7, 91, "days", "天"),
         ["How long before the end must {x} be cancelled?"], ["取消{x}要提前多久？"],
         "{x} can be cancelled {v} ahead.|To end {x}, give notice {v} before.|{x} has a notice period of {v}.|Whoever wants to leave {x} has to say so {v} in advance.",
         "{x}须提前{v}通知方可解约。|取消{x}应提前{v}告知。|{x}的解约通知期为{v}。|退订{x}要提前{v}说明。",
         "{x} ends by itself after {v}.|{x} can be cancelled at any time during the first {v}.",
         "{x}在{v}后自动终止。|{x}头{v}可随时取消。"),
    ]),
    (("Retention", "保存期限"), ("Records", "资料"), drawn(KINDS), [
        ("kept for", "保存期限", count(1, 12, "years", "年"),
         ["How long are {x} kept?", "When may {x} be deleted?", "For how many years do we keep {x}?"], ["{x}要保存多久？", "{x}几年后可以销毁？"],
         "{x} are kept for {v}.|We store {x} for {v}.|{x} have to be retained for {v}.|Nobody may destroy {x} before {v} have passed.|After {v}, {x} may be deleted.",
         "{x}保存{v}。|{x}须留存{v}。|{x}的保管期限为{v}。|{x}满{v}后方可销毁。|{x}归档保留{v}。",
         "{x} have to be deleted before {v} have passed.|{x} are kept for longer than {v} after each audit.",
         "{x}未满{v}就须销毁。|{x}的保存期限为{v}的两倍。"),
        ("deleted by", "销毁人", one_of(PEOPLE),
         ["Who deletes {x}?"], ["{x}由谁销毁？"],
         "{v} deletes {x}.|{x} are destroyed by {v}.|Deleting {x} is the task of {v}.|{v} sees to it that {x} are removed.",
         "{x}由{v}销毁。|{v}负责销毁{x}。|销毁{x}是{v}的工作。",
         "{v} keeps {x}.|{v} may not delete {x}.|{v} wrote {x}.",
         "{x}由{v}保管。|{v}无权销毁{x}。"),
        ("checked every", "检查周期", count(1, 13, "months", "个月"),
         ["How often are {x} checked?"], ["{x}多久检查一次？"],
         "{x} are checked every {v}.|Every {v}, somebody goes through {x}.|{x} are reviewed at intervals of {v}.|Between two reviews of {x} lie {v}.",
         "{x}每{v}检查一次。|每隔{v}复核一次{x}。|{x}的检查周期为{v}。",
         "{x} are deleted every {v}.|{x} are checked {v} after the end of the year only.",
         "{x}每{v}销毁一次。|{x}只在{v}后检查一次。"),
    ]),
]
TITLE, LABEL, THINGS, ATTRIBUTES = range(4)
NAME, VALUE, ASK, SAY, DENY = (0, 1), 2, (3, 4), (5, 6), (7, 8)


def capital(text):
    return text[:1].upper() + text[1:]


def sentence(r, ways, thing, value):
    return capital(r.choice(ways.split("|")).format(x=thing, v=value))


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
    state = lambda thing, attribute, value, way=SAY: sentence(r, attribute[way[says]], thing[says], value[says])
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
    # Wrong: the same thing and value, with something else said of them.
    if r.random() < 0.5:
        found.append(dict(other, task="support", set="facts-claim" + mark, a=state(x, a, truth, DENY), label=0, kind="contradicted"))
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
            put(sentence(r, a[SAY[lang]], x[lang], value(x, a)), (x, a[0]), value(x, a))
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
                put(sentence(r, b[SAY[lang]], x[lang], value(x, b)), (x, b[0]), value(x, b))
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
