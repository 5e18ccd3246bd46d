/** The product's own texts in the pictures. */
export interface ChatTexts {
  question: string;
  answer: string;
  composer: string;
  send: string;
  server: string;
  tool: string;
  result: string;
  panel: string;
  view: string;
  days: readonly string[];
  message: string;
}

export const CHAT_TEXTS = {
  english: {
    question: "Will it rain in Oslo this week?",
    answer: "Here is the forecast for the next days.",
    composer: "Write a message",
    send: "Send",
    server: "Weather service",
    tool: "Forecast",
    result: "Oslo: rain on Tuesday, 6 to 11 °C.",
    panel: "Side panel",
    view: "Oslo, next days",
    days: ["Mon 9 °C, cloudy", "Tue 6 °C, rain", "Wed 8 °C, sun", "Thu 11 °C, sun"],
    message: "Remind me on Tuesday to take an umbrella.",
  },
  german: {
    question: "Regnet es diese Woche in Oslo?",
    answer: "Hier ist die Vorhersage für die nächsten Tage.",
    composer: "Nachricht schreiben",
    send: "Senden",
    server: "Wetterdienst",
    tool: "Vorhersage",
    result: "Oslo: Regen am Dienstag, 6 bis 11 °C.",
    panel: "Seitenleiste",
    view: "Oslo, nächste Tage",
    days: ["Mo 9 °C, wolkig", "Di 6 °C, Regen", "Mi 8 °C, Sonne", "Do 11 °C, Sonne"],
    message: "Erinnere mich am Dienstag an den Schirm.",
  },
  arabic: {
    question: "هل ستمطر في أوسلو هذا الأسبوع؟",
    answer: "إليك توقعات الأيام القادمة.",
    composer: "اكتب رسالة",
    send: "إرسال",
    server: "خدمة الطقس",
    tool: "التوقعات",
    result: "أوسلو: مطر يوم الثلاثاء، من 6 إلى 11 درجة.",
    panel: "اللوحة الجانبية",
    view: "أوسلو، الأيام القادمة",
    days: ["الاثنين 9°، غائم", "الثلاثاء 6°، مطر", "الأربعاء 8°، شمس", "الخميس 11°، شمس"],
    message: "ذكّرني يوم الثلاثاء بالمظلة.",
  },
} satisfies Record<string, ChatTexts>;

export type Language = keyof typeof CHAT_TEXTS;
