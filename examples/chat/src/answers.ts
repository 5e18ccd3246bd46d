import type { ScriptedTurn } from "../../../packages/cli/src/chat/scripted-model/script.ts";

const HELP = `I'm a script, not a model. Try one of these:

- **Plan a trip** shows a form that fills while I write.
- **What's the weather in Vienna?** shows the view of a server in Python.
- **What time is it?** asks a server of the first generation, over SSE.
- **Echo good morning** calls the official example server, over stdio.
- **Wait for an offer** takes a minute; stop it.`;

/** What the scripted model answers in a demonstration, besides the turns of the tests. */
export const DEMO_TURNS: ScriptedTurn[] = [
  {
    when: { user: "weather" },
    reply: [{ call: "weather__get_weather", arguments: { city: "Vienna", days: 3 }, pace: 20 }],
  },
  { when: { after: "weather__get_weather" }, reply: [{ text: "Take your sunglasses.", pace: 20 }] },
  {
    when: { user: "time" },
    reply: [{ call: "clock__get_time", arguments: { timeZone: "Europe/Vienna" } }],
  },
  {
    when: { after: "clock__get_time" },
    reply: [{ text: "In Vienna it is {{result}}.", pace: 20 }],
  },
  {
    when: { user: "echo" },
    reply: [{ call: "everything__echo", arguments: { message: "Good morning" } }],
  },
  { when: { after: "*" }, reply: [{ text: "The tool returned: {{result}}" }] },
  { reply: [{ text: HELP, pace: 10 }] },
];
