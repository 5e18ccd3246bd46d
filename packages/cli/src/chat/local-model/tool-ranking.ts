// A small model can't read twenty tools: asked about them, it mostly answers "none". So words decide whether a tool
// fits the user's message at all, and the model chooses among those that fit about equally well.

/** A tool as a request offers it. */
export interface OfferedTool {
  name: string;
  description: string;
  /** JSON Schema of its arguments. */
  parameters: Record<string, unknown>;
}

const SHORTEST_WORD = 3;
/** A word of the tool's name that one other tool has too. */
const LEAST_SCORE = 1;
const COMMON = new Set("the and for with from that this what how are you can about all".split(" "));
const LONGEST_TEXT = 4_000;

/** The tools that have words of the message, best first. */
export function rankTools(
  message: string,
  tools: readonly OfferedTool[],
  most: number,
): OfferedTool[] {
  const wanted = wordsOf(message);
  const own = tools.map(({ name, description }) => wordsOf(`${name} ${description}`));
  // A word that many tools have hardly distinguishes them.
  const weightOf = (word: string): number =>
    1 / Math.max(1, own.filter((words) => words.has(word)).length);
  return tools
    .map((tool, at) => {
      const names = wordsOf(tool.name);
      const shared = [...wanted].filter((word) => own[at]?.has(word));
      const score = shared.reduce(
        (sum, word) => sum + weightOf(word) * (names.has(word) ? 2 : 1),
        0,
      );
      return { tool, score };
    })
    .sort((one, other) => other.score - one.score)
    .filter(({ score }, _, [best]) => score >= LEAST_SCORE && score >= (best?.score ?? 0) / 2)
    .slice(0, most)
    .map(({ tool }) => tool);
}

function wordsOf(text: string): Set<string> {
  const words = text
    .slice(0, LONGEST_TEXT)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    // "weathers", "planning" and "booked" should fit "weather", "plan" and "book".
    .map((word) => word.replace(/(?:n?ning|ing|ed|s)$/, ""));
  return new Set(words.filter((word) => word.length >= SHORTEST_WORD && !COMMON.has(word)));
}
