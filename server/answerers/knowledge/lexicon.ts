/**
 * What people at a front desk say with different words, English and Chinese side by side: data only. A concept joins words
 * that ask for the same fact, so that "postage" finds "shipping" and an English question a Chinese note. It knows a
 * language, not a desk: nothing in it is true of one owner more than of another.
 *
 * A line is `name: english words | 中文词`, `_` for a space within. `name <wider` says that a note about it is also one about
 * the wider concept; `name ~kind` that a note which speaks of its kind in general ("pieces", "pets") does not speak of
 * something else, and `name ^whole` that where the notes never name it, a note about the whole is about it ("Rest of the EU"). `?word` means this
 * in a question only: a note that says "send a photo" speaks of no shipping; `+word` too, and there it may as well mean just itself.
 */
export const CONCEPTS = `
price: price pricing cost fee charge amount rate tariff expensive cheap | 价格 价钱 价位 费用 收费 收钱 多少钱 几块钱 几欧元 怎么卖 什么价 什么价钱 什么价格 什么价位 售价 报价 面额 面值 金额 贵 便宜
open: open opening opening_hours business_hours hours close closed closing shut | 营业 营业时间 开门 开放 开店 关门 打烊 关店 休息 不营业 放假 歇业 上班 下班
ship: ship shipping shipment deliver delivery post posting postage mail_order courier parcel package dispatch ?send ?sent +receive +received | 寄 寄送 邮寄 寄到 寄往 配送 发货 送货 快递 物流 运费 邮费 包邮 免运费 包裹 海运 空运 +收到 +收货 +到货 +送达
free: free free_of_charge gratis complimentary no_charge | 免费 包邮 免运费 不收费 赠送
return: return send_back give_back refund money_back | 退 退货 退款 退换 退回 退钱
exchange: exchange swap replacement replace | 换 换货 退换 更换 调换 补寄
broken: broken break breakage damaged damage smashed shattered cracked crack chipped chip | 破损 破了 碎 碎了 坏 坏了 损坏 破裂 裂 磕破 摔碎 摔破
repair: repair mend fix restore | 修 补 修补 修复 维修 修理 金缮
workshop: workshop class course lesson session | 工作坊 课程 课 上课 体验 体验课 开课 培训 培训班
book: book booking reserve reservation sign_up register registration enrol enroll | 预约 预订 预定 报名 订位 约
appointment: appointment by_appointment | 预约
cancel: cancel cancellation cancelling call_off | 取消 退订
reschedule: reschedule move_my_place postpone change_the_date move_your_place change_date | 改期 改时间 延期 换时间
pay: pay payment paying paid | 付款 支付 付 付钱 结账 买单
card: card credit_card debit_card visa mastercard | 刷卡 信用卡 银行卡 借记卡
cash: cash | 现金
transfer: bank_transfer wire_transfer transfer | 转账 银行转账 汇款
cod: cash_on_delivery pay_on_delivery | 货到付款
own: my_own your_own our_own their_own his_own her_own | 自己 自备 自带
deposit: deposit down_payment in_advance prepayment upfront | 定金 订金 押金 预付
invoice: invoice receipt bill | 发票 收据 账单
tax: tax vat | 税 增值税 含税 税号
customs: customs duty customs_duty import_duty import_tax | 关税 海关 清关
voucher: voucher gift_card gift_voucher gift_certificate | 礼品券 礼品卡 代金券 购物券 礼券
gift: gift present | 礼物 礼品 送礼 送人
wrap: wrap wrapping gift_wrap gift_wrapping | 包装 礼品包装 礼盒
discount: discount reduction sale cheaper off promo coupon | 折扣 优惠 打折 几折 打六折 打八折 打九折 减价 促销
seconds: seconds flawed flaw imperfect blemished | 瑕疵 瑕疵品 次品
wholesale: wholesale stockist retailer resell bulk sell_to_shops trade_price | 批发 供货 经销 代理 进货
commission: commission custom bespoke made_to_order custom_made personalised personalized tailor_made | 定制 订制 订做 定做 委托 约稿 私人定制
deadline: rush urgent express hurry | 加急 赶 急 快件
contact: contact reach get_in_touch write_to | 联系 联络 联系方式
email <contact: email e_mail mail | 邮箱 邮件 电子邮件 电邮 写信 来信
reply: reply replies replied answer answers answered respond response | 回复 回信 答复 回音
phone <contact: phone telephone call phone_number mobile | 电话 手机 手机号 打电话 电话号码
social <contact: social_media | 社交媒体
instagram <social: instagram insta | ins
wechat <social: wechat weixin | 微信 公众号
whatsapp <social: whatsapp |
website: website web_site site online_shop web_shop webshop homepage | 网站 官网 网店 网址 主页
online: online internet remote remotely virtual | 线上 网上 在线 远程
place: address located location directions find_you get_there get_to reach_you come_to_you | 地址 位置 怎么走 怎么去 怎么到 怎么过去 哪里找 具体位置 哪条街 哪条路 什么路
transport <place: tram bus metro subway train public_transport | 电车 公交 公交车 地铁 坐车 乘车 火车 公共交通 坐什么车
car: car drive driving | 开车 自驾 汽车
parking: parking car_park park parking_lot | 停车 停车场 停车位 泊车
visit: visit visiting pop_in drop_in drop_by come_by stop_by come_over | 来访 参观 拜访 到访 来店 到店
studio: studio shop store atelier premises | 工作室 店 店里 店铺 门店 商店
access: wheelchair accessible accessibility step_free ramp mobility disabled | 轮椅 无障碍 坡道 残疾
lift: lift elevator | 电梯 升降梯
stairs: stairs staircase steps | 楼梯 台阶
toilet: toilet restroom bathroom washroom wc | 洗手间 厕所 卫生间
wifi: wifi wi_fi | 无线网 上网
pet: pet animal | 宠物 动物
dog <pet ~pet: dog puppy | 狗 狗狗 小狗 带狗
cat <pet ~pet: cat kitten | 猫 猫咪 小猫
child: child children kid kids son daughter toddler baby teenager age year_old | 孩子 小孩 小孩子 儿童 小朋友 娃 儿子 女儿 岁
adult: adult parent grown_up | 大人 成人 成年人 家长
beginner: beginner experience no_experience first_time newcomer never_done | 零基础 新手 初学者 初学 没学过 入门 经验 基础
group: group private_group private_workshop private_event team party company_event team_building colleagues coworkers friends | 包场 团体 团建 团队 私人 多人 同事 朋友
people: people persons participants participant places seats | 人 人数 名额
include: include included including | 包含 包括 含
bring: bring wear | 带 自带 穿
pickup: pick_up collect collection pick_it_up fetch | 取 自取 来取 取货 领取 拿
tracking: track tracking tracking_number | 单号 快递单号 追踪 物流信息 查物流
packaging: packed packaging packing box recycled | 打包 箱子 纸箱
dishwasher ~wash: dishwasher | 洗碗机
microwave: microwave | 微波炉
oven: oven | 烤箱
wash: wash washing clean cleaning care | 洗 清洗 手洗 保养 洗涤
item: item piece pieces object product something thing things goods ware pottery_piece | 东西 器物 作品 商品 产品 器皿 物件 每件
order: order purchase bought | 订单 下单 订购 购买 采购
tableware ~item: tableware dishes crockery dinnerware dinner_service table_service dinner_set tea_set | 餐具 茶具 套装
cup ~item: cup mug espresso_cup tumbler | 杯 杯子 马克杯 咖啡杯 茶杯 水杯
bowl ~item: bowl | 碗
plate ~item: plate saucer platter | 盘 盘子 餐盘 碟子 碟
teapot ~item: teapot tea_pot | 茶壶 壶
vase ~item: vase | 花瓶
tile ~item: tile | 瓷砖 砖
figurine ~item: figurine sculpture statue | 雕塑 摆件
lamp ~item: lamp lampshade | 灯 台灯
jewellery ~item: jewellery jewelry earrings necklace bracelet wedding_ring | 首饰 耳环 项链 戒指
print ~item: print art_print poster | 印刷品 版画 海报 装饰画
postcard ~item: postcard greeting_card | 明信片 贺卡
tshirt ~item: t_shirt tshirt clothing | 衣服 T恤
original ~item: original original_drawing original_artwork | 原作 原画
drawing: draw drawing drawn illustrate illustration illustrator | 画 绘画 插画 写生 素描
sketch: sketch draft | 草图 草稿 样稿
painting: paint painting watercolour watercolor oil_painting | 油画 水彩 绘制
person: person man woman mother mum mom father dad parents grandmother grandma grandfather grandpa wife husband girlfriend boyfriend sister brother family couple myself | 人物 本人 妈妈 爸爸 父母 奶奶 爷爷 外婆 外公 妻子 丈夫 老婆 老公 女朋友 男朋友 姐姐 妹妹 哥哥 弟弟 家人 全家 情侣
portrait: portrait | 肖像 人像 宠物像 画像 头像
tattoo: tattoo | 纹身
logo: logo brand_mark label | 标志 商标 标签 徽标
bookcover: book_cover cover | 封面 书籍封面
rights: rights copyright licence license | 版权 授权 使用权
revision: revision changes rounds amend correction | 修改 改稿
ai: ai ai_images artificial_intelligence generated | 人工智能 AI图
style: style | 风格
wedding: wedding marriage bride | 婚礼 结婚 婚宴
birthday: birthday | 生日
restaurant: restaurant cafe hotel | 餐厅 饭店 咖啡馆 咖啡店 酒店
company: company business firm corporate | 公司 企业 单位
stamp: stamp engrave engraving name_on inscription | 刻字 压印 刻 印名字 刻名字 名字
handmade: handmade hand_made by_hand | 手工 手作
pottery: pottery pots ceramics ceramic pot potter | 陶艺 陶 陶瓷 做陶 陶器
throwing: wheel throwing wheel_throwing throw | 拉坯
clay: clay | 陶土 泥 粘土
stoneware <clay: stoneware | 炻土 炻器
porcelain <clay: porcelain china_clay | 瓷土 瓷器
earthenware <clay: earthenware terracotta | 红陶 赤陶
glaze: glaze glazing glazed | 釉 釉料 上釉 釉色
kiln: kiln | 窑 电窑
fire: fire firing fired | 烧 烧制 烧成 烧好
lead: lead lead_free toxic non_toxic food_safe poison | 铅 无铅 毒 无毒 食品级 安全
material: material made_of made_from | 材料 材质 用料 原料
colour: colour color shade | 颜色 色 花色 配色
size: size dimension measurement diameter capacity volume | 尺寸 大小 规格 容量 直径
small: small little tiny | 小 小号
large: large big | 大 大号
medium: medium | 中号
temperature: temperature degrees celsius | 温度
weight: weight weigh heavy | 重量 多重 重
sample: sample | 样品 小样
rent: rent hire_the rental lease | 租 出租 租用 租借
job: ?job job_opening job_offer internship intern hiring we_hire apprentice apprenticeship vacancy recruit recruiting work_for_you | 实习 实习生 招聘 招人 招工 学徒 工作机会 应聘 兼职
teacher: teacher instructor teach taught | 老师 师傅 教
learn: learn study studied learnt trained training school education | 学 学习 就读 毕业 学校
student: student pupil | 学生
senior: senior pensioner retired | 老人 老年人 退休
language: language languages speak spoken | 语言 说 讲
english <language: english | 英文 英语
chinese <language: chinese mandarin | 中文 汉语 普通话
portuguese <language: portuguese | 葡萄牙文 葡萄牙语 葡语
french <language: french | 法文 法语
german <language: german | 德文 德语
spanish <language: spanish | 西班牙文 西班牙语
japanese <language: japanese | 日文 日语
korean <language: korean | 韩文 韩语
team: team staff employee helper works_alone alone | 员工 团队 帮忙
history: since founded established | 成立 创办 创立
first: first_time | 第一次 首次
maximum: maximum max at_most up_to | 最多 上限
minimum: minimum smallest at_least | 最少 最低 至少 起做 起订
warranty: warranty guarantee guaranteed | 保修 质保 保证
valid: valid expire expiry | 有效 有效期 过期
wait: wait waiting waiting_list queue | 等 等待 排队 排期
available: next_free next_slot available availability slot free_place free_slot | 档期 空位 有空 空档
catalogue: catalogue catalog brochure price_list | 目录 图册 价目表
photo: photo picture image photograph | 照片 图片 拍照 拍
exhibition: exhibition show fair market gallery | 展览 展会 市集 画廊 集市
newsletter: newsletter mailing_list subscribe | 订阅 通讯
water: water | 水
tea: tea | 茶
coffee: coffee espresso | 咖啡
food: food snack drink lunch | 吃的 食物 饮料 午饭 点心
privacy: privacy personal_data data_protection | 隐私 个人信息
project: project portfolio | 项目 作品集
morning: morning | 上午 早上 早晨
afternoon: afternoon | 下午
evening: evening night tonight | 晚上 晚间 傍晚 夜里
spring: spring springtime | 春天 春季
summer: summer summertime | 夏天 夏季 暑假
autumn: autumn fall_season | 秋天 秋季
winter: winter wintertime | 冬天 冬季 寒假
christmas: christmas xmas | 圣诞 圣诞节
newyear: new_year new_years_eve | 新年 元旦 跨年
springfestival: spring_festival chinese_new_year lunar_new_year | 春节 过年
easter: easter | 复活节
holiday: holiday holidays bank_holiday vacation | 假期 放假 节假日 公休日 度假
europe: europe european | 欧洲
eu <europe: eu european_union | 欧盟
abroad: abroad overseas international internationally worldwide foreign_country | 国外 海外 国际 外国 境外 全球 全世界
beyondeurope <abroad: outside_europe outside_of_europe beyond_europe non_european | 欧洲以外 欧洲之外 欧洲外 非欧洲
portugal <europe ^eu: portugal | 葡萄牙
spain <europe ^eu: spain | 西班牙
france <europe ^eu: france | 法国
germany <europe ^eu: germany | 德国
italy <europe ^eu: italy | 意大利
netherlands <europe ^eu: netherlands holland | 荷兰
belgium <europe ^eu: belgium | 比利时
austria <europe ^eu: austria | 奥地利
switzerland <europe: switzerland swiss | 瑞士
uk <europe: uk united_kingdom britain england scotland great_britain | 英国 英格兰 苏格兰
ireland <europe ^eu: ireland | 爱尔兰
poland <europe ^eu: poland | 波兰
sweden <europe ^eu: sweden | 瑞典
norway <europe: norway | 挪威
denmark <europe ^eu: denmark | 丹麦
finland <europe ^eu: finland | 芬兰
usa ^beyondeurope: usa united_states america american the_states | 美国
canada ^beyondeurope: canada | 加拿大
australia ^beyondeurope: australia | 澳大利亚 澳洲
newzealand ^beyondeurope: new_zealand | 新西兰
japan ^beyondeurope: japan | 日本
korea ^beyondeurope: korea south_korea | 韩国
china ^beyondeurope: china mainland_china | 中国 国内 大陆
hongkong ^beyondeurope: hong_kong | 香港
taiwan ^beyondeurope: taiwan | 台湾
singapore ^beyondeurope: singapore | 新加坡
india ^beyondeurope: india | 印度
brazil ^beyondeurope: brazil | 巴西
lisbon: lisbon lisboa | 里斯本
london: london | 伦敦
paris: paris | 巴黎
beijing: beijing | 北京
shanghai: shanghai | 上海
hangzhou: hangzhou | 杭州
`;

/** Words that carry no fact: they are never looked for. */
export const STOP = `
a an the this that these those there here it its he she they them their his her him we us our ours i me my mine you your yours one ones
and or but so if then than as of in on at to for from by with without about into onto over under up down out off between during before after within across along through toward towards against among amid until till since because while whether though although upon beside besides per via
is are was were be been being am do does did done doing have has had having can could will would shall should may might must
what which who whom whose how why when where
not no yes yeah ok okay please thanks thank hi hello hey dear sorry excuse
just only also too very really quite still even ever never always often sometimes usually actually maybe perhaps again already yet now soon later else
any some something all both each every other another such same more most less least much many few lot lots bit enough several whole long
tell know wonder wondering curious ask asking question let want wanted wants wish like liked love would's i'd i'm i've i'll you're you've it's that's what's who's where's how's when's there's don't doesn't didn't can't won't isn't aren't
able possible kindly help info information detail details regarding concerning anything everything someone anyone somebody anybody
s t d m re ve ll
| 请问 我家 我的 你们 我们 他们 她们 你 您 我 他 她 它 咱们 的 了 吗 呢 吧 啊 呀 哦 嘛 么 是 是不是 有 有没有 没有 在 会 会不会 能 能不能 能否 可以 可不可以 可否 是否 行 行不行 不行 要 要不要 想 想要 想问 想问一下 问一下 问 请 麻烦 告诉 知道 知道吗 一下 一个 一只 一张 一套 一件 一次 一回 一场 一节 一堂 每次 先 坐 几路 几号线 一般来说 个 件 只 张 套 些 一些 这 那 这个 那个 这些 那些 这里 那里 这边 那边 什么 哪 哪个 哪些 哪种 怎么 怎样 怎么样 如何 怎么办 为什么 多少 几 谁 和 与 或 或者 还是 还 还有 也 都 就 才 但 但是 如果 的话 因为 所以 以及 另外 到 从 给 对 把 被 跟 用 上 下 里 中 去 来 吗？ 好 好的 谢谢 多谢 你好 您好 不 没 很 太 最 更 再 又 只 所有 全部 任何 其他 别的 时候 时 期间 关于 具体 大概 一般 平时 通常 目前 现在 最近 刚 已经 喜欢 不喜欢 觉得 出 帮 帮我 能够 应该 必须 需不需要 需要 几点 几天 几周 几号 几个 几人 几楼 几层 哪天 哪里 哪儿 何时 何处 多久 多长时间 多大 多高 多宽 多重 多早 多晚 什么地方 什么时间 得 之 后 前 以后 以前 之后 之前 之类 之内 以内 内 分别 各自 总共 一共 大约 左右 到底 究竟 然后 比如 例如 一直 经常 有时 一起 还是说 情况 东东 地 着 过 么 呗 啦
`;

/** Words that carry little: a note need not repeat them. Written like concepts. */
export const LIGHT = `
get got getting take takes taking taken took give gives given giving gave make makes made making go goes going went gone come comes coming came put puts putting use uses using used
buy buying sell sells selling sold look looking find finding found offer offers offered offering provide provides providing accept accepts accepting allow allowed allows
happen happens happening work works working available exactly near nearby nearest closest set pair bring brings brought bringing visit visits visiting drop_by drop_in come_by stop_by come_over pop_in total totally complete completely absolute absolutely real really main general generally typical typically current currently special regular simple easy quick quickly good best nice around next last first new long far kind type sort way thing things start starting say says said mean means think thinks feel hope believe seem seems expect show shows check handle deal choose prefer decide understand explain describe mention matter become exist depend
week weeks day days month months year years time times hour minute minutes include included including arrange plan planning policy rule rules condition conditions option options method methods way ways fit fits heat heating normal normally need needs needed try see sure different available join joining attend part participate learn learning account link earliest latest advance ahead beforehand notice own owns limit design designs studio shop store item order people piece product object something goods ware
| 提供 支持 接受 允许 附近 进行 安排 打算 准备 计划 买 卖 售 出售 做 弄 放 拿 带 带来 找 看 看看 开 开始 需 办 办理 处理 使用 方便 时间 天 周 月 年 小时 分钟 等 作品 东西 商品 产品 器物 器皿 物件 每件 订单 参观 来访 来店 到店 拜访 工作室 店 店里 人 包含 包括 每 各 种 类 样 位 次 份 参加 学 账号 帐号 号码 链接 提前 预先 一个人 含 加热 下单 政策 规定 方式 方法 途径 直接 设计 完全 真的 主要 普通 特别
`;
