// Tools that ask before they answer: by `input_required` (SEP-2322), which the SDK turns into requests of
// its own towards a client of the handshake era.

import {
  acceptedContent,
  fromJsonSchema,
  type InputRequests,
  inputRequired,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { text } from "./contents.ts";

/** What a server of several rounds remembers of the ones before, in the client's hands. */
export interface Round {
  step: number;
  name?: string;
}

type Arguments = Record<string, unknown>;
type Properties = Record<string, object>;
type Schema = Parameters<typeof fromJsonSchema>[0];

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** Registers them; `codec` seals what travels through the client. */
export function registerQuestions(server: McpServer, codec: RequestStateCodec<Round>): void {
  const add = (
    name: string,
    handler: (given: Arguments, context: ServerContext) => object | Promise<object>,
    properties: Properties = {},
  ): void => {
    const required = Object.keys(properties);
    const inputSchema = fromJsonSchema<Arguments>({
      type: "object",
      properties,
      required,
    } as Schema);
    const config = { description: `Of the conformance tool: ${name}`, inputSchema };
    server.registerTool(name, config, handler as never);
  };

  add("test_input_required_result_elicitation", (_given, { mcpReq }) => {
    const { name } = answer(mcpReq, "user_name");
    return typeof name === "string"
      ? text(`Hello, ${name}!`)
      : inputRequired({ inputRequests: { user_name: askName("What is your name?") } });
  });
  add("test_input_required_result_sampling", (_given, { mcpReq }) => {
    const sampled = mcpReq.inputResponses?.capital_question;
    return sampled
      ? text(`It said: ${JSON.stringify(sampled)}`)
      : inputRequired({
          inputRequests: { capital_question: sample("What is the capital of France?") },
        });
  });
  add("test_input_required_result_list_roots", (_given, { mcpReq }) => {
    const roots = mcpReq.inputResponses?.client_roots;
    return roots
      ? text(`Roots: ${JSON.stringify(roots)}`)
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  const confirm = (word: string) => async (_given: Arguments, context: ServerContext) => {
    if (answer(context.mcpReq, "confirm").ok !== undefined && stepOf(context) === 1) {
      return text(`${word}: confirmed`);
    }
    const ok = { ok: { type: "boolean" } };
    return inputRequired({
      inputRequests: { confirm: elicit("Please confirm", ok) },
      requestState: await codec.mint({ step: 1 }, context),
    });
  };
  add("test_input_required_result_request_state", confirm("state-ok"));
  add("test_input_required_result_tampered_state", confirm("untouched"));
  add("test_input_required_result_multiple_inputs", async (_given, context) => {
    const { inputResponses = {} } = context.mcpReq;
    const wanted: InputRequests = {
      user_name: askName("What is your name?"),
      greeting: sample("Generate a greeting", 50),
      client_roots: inputRequired.listRoots(),
    };
    return Object.keys(wanted).every((key) => key in inputResponses)
      ? text(`All of it: ${Object.keys(inputResponses).join(", ")}`)
      : inputRequired({
          inputRequests: wanted,
          requestState: await codec.mint({ step: 1 }, context),
        });
  });
  add("test_input_required_result_multi_round", async (_given, context) => {
    const { mcpReq } = context;
    const { name } = answer(mcpReq, "step1");
    const { color } = answer(mcpReq, "step2");
    const before = mcpReq.requestState<Round>();
    if (color !== undefined && stepOf(context) === 2) {
      return text(`${before?.name} likes ${color}.`);
    }
    if (typeof name === "string" && stepOf(context) === 1) {
      const colors = { color: { type: "string" } };
      return inputRequired({
        inputRequests: { step2: elicit("Step 2: What is your favorite color?", colors) },
        requestState: await codec.mint({ step: 2, name }, context),
      });
    }
    return inputRequired({
      inputRequests: { step1: askName("Step 1: What is your name?") },
      requestState: await codec.mint({ step: 1 }, context),
    });
  });
  add("test_input_required_result_capabilities", (_given, { mcpReq }) => {
    const { sampling, elicitation, roots } = Object((mcpReq.envelope as Arguments)?.[CAPABILITIES]);
    const possible: InputRequests = {
      ...(sampling && { sampled: sample("Say something") }),
      ...(elicitation && { name: askName("What is your name?") }),
      ...(roots && { roots: inputRequired.listRoots() }),
    };
    const isAnswered = Object.keys(mcpReq.inputResponses ?? {}).length > 0;
    return isAnswered || Object.keys(possible).length === 0
      ? text("Nothing more to ask.")
      : inputRequired({ inputRequests: possible });
  });
  // The SDK refuses what the client did not declare, which is what this one is for.
  add("test_missing_capability", () => inputRequired({ inputRequests: { sampled: sample("x") } }));
  add("test_streaming_elicitation", (_given, { mcpReq }) =>
    "user_name" in (mcpReq.inputResponses ?? {})
      ? text("Asked and answered.")
      : inputRequired({ inputRequests: { user_name: askName("What is your name?") } }),
  );
  registerRequests(add);
}

/** What the handshake era asks with requests of the server. */
function registerRequests(
  add: (
    name: string,
    handler: (given: Arguments, context: ServerContext) => object | Promise<object>,
    properties?: Properties,
  ) => void,
): void {
  add(
    "test_sampling",
    ({ prompt }, { mcpReq }) => {
      const sampled = mcpReq.inputResponses?.sampled as { content?: { text?: string } } | undefined;
      return sampled
        ? text(`LLM response: ${sampled.content?.text}`)
        : inputRequired({ inputRequests: { sampled: sample(`${prompt}`) } });
    },
    { prompt: { type: "string" } },
  );
  const elicitation =
    (message: string, properties: Properties, required: string[] = []) =>
    ({ message: given = message }: Arguments, { mcpReq }: ServerContext): object => {
      const answered = mcpReq.inputResponses?.asked as Arguments | undefined;
      return answered
        ? text(
            `Elicitation completed: action=${answered.action}, content=${JSON.stringify(answered.content)}`,
          )
        : inputRequired({ inputRequests: { asked: elicit(`${given}`, properties, required) } });
    };
  const said = { type: "string", description: "User's response" };
  add(
    "test_elicitation",
    elicitation("?", { username: said, email: said }, ["username", "email"]),
    { message: { type: "string" } },
  );
  add(
    "test_elicitation_sep1034_defaults",
    elicitation("Please look at the defaults", {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    }),
  );
  const options = ["option1", "option2", "option3"];
  const titled = ["First", "Second", "Third"].map((title, index) => ({
    const: `value${index + 1}`,
    title: `${title} Option`,
  }));
  add(
    "test_elicitation_sep1330_enums",
    elicitation("Please choose", {
      untitledSingle: { type: "string", enum: options },
      titledSingle: { type: "string", oneOf: titled },
      legacyEnum: {
        type: "string",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: { type: "array", items: { type: "string", enum: options } },
      titledMulti: { type: "array", items: { anyOf: titled } },
    }),
  );
}

/** A form; all its fields are required unless it is said which. */
export function elicit(
  message: string,
  properties: Properties,
  required: string[] = Object.keys(properties),
): ReturnType<typeof inputRequired.elicit> {
  return inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties, required } as never,
  });
}

function askName(message: string): ReturnType<typeof inputRequired.elicit> {
  return elicit(message, { name: { type: "string" } });
}

function sample(question: string, maxTokens = 100): ReturnType<typeof inputRequired.createMessage> {
  const content = { type: "text" as const, text: question };
  return inputRequired.createMessage({ messages: [{ role: "user", content }], maxTokens });
}

/** What the user filled in; nothing where the form was refused or is malformed. */
export function answer(mcpReq: ServerContext["mcpReq"], key: string): Arguments {
  return Object(acceptedContent(mcpReq.inputResponses, key)) as Arguments;
}

function stepOf({ mcpReq }: ServerContext): number | undefined {
  return mcpReq.requestState<Round>()?.step;
}
