/*
 * All texts of the report's page, in both languages. Texts of the data (findings, reasons) have both
 * languages in the payload. {0}, {1} are arguments of page.text(). Each file has its own rows: add
 * yours below your heading.
 */
const LANG = {
	/* page.js */
	"page.language": { en: "中文", zh: "English" }, /* the other one */
	"page.language.title": { en: "Chinese (g)", zh: "英文 (g)" },
	"page.theme.": { en: "Auto", zh: "自动" },
	"page.theme.dark": { en: "Dark", zh: "深色" },
	"page.theme.light": { en: "Light", zh: "浅色" },
	"page.theme.title": { en: "Dark, light, or as the system (d)", zh: "深色、浅色或跟随系统 (d)" },
	"page.link": { en: "Copy link", zh: "复制链接" },
	"page.link.title": { en: "Copy a link to what is shown (l)", zh: "复制当前视图的链接 (l)" },
	"page.link.copied": { en: "The link is copied.", zh: "链接已复制。" },
	"page.help": { en: "Keys", zh: "快捷键" },
	"page.help.title": { en: "Keys (?)", zh: "快捷键 (?)" },
	"page.close": { en: "Close", zh: "关闭" },
	"page.sections": { en: "Sections", zh: "章节" },
	"page.nothing": { en: "There is nothing to show in this report.", zh: "此报告中没有可显示的内容。" },
	"page.made": { en: "pipa {0}", zh: "pipa {0}" },
	"page.range": { en: "Selected: {0} to {1} ({2})", zh: "所选范围：{0} 至 {1}（{2}）" },
	"page.range.chart": { en: "Zoom charts", zh: "缩放图表" },
	"page.range.profile": { en: "Profile of this range", zh: "此范围的剖析" },
	"page.range.clear": { en: "Clear", zh: "清除" },
	"page.clock.utc": { en: "times in UTC", zh: "时间为 UTC" },
	"page.clock.elapsed": { en: "times since the start", zh: "时间为自开始起的时长" },
	"page.clock.assumed": { en: "times derived from another source", zh: "时间由其他来源推算" },
	"page.failed": { en: "This section cannot show its data: {0}.", zh: "此章节无法显示其数据：{0}。" },
	"key.sections": { en: "previous, next section", zh: "上一章节、下一章节" },
	"key.theme": { en: "dark, light, as the system", zh: "深色、浅色、跟随系统" },
	"key.language": { en: "English or Chinese", zh: "中文或英文" },
	"key.link": { en: "copy a link to what is shown", zh: "复制当前视图的链接" },
	"key.clear": { en: "clear the selected time range", zh: "清除所选时间范围" },
	"key.help": { en: "this list", zh: "此列表" },
	"unit.d": { en: "{0} d {1} h", zh: "{0} 天 {1} 小时" },
	"unit.h": { en: "{0} h {1} min", zh: "{0} 小时 {1} 分" },
	"unit.min": { en: "{0} min {1} s", zh: "{0} 分 {1} 秒" },
	"unit.s": { en: "{0} s", zh: "{0} 秒" },
	"unit.ms": { en: "{0} ms", zh: "{0} 毫秒" },
};
