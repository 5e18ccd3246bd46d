import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ProgressConfig } from "../../src/templates/progress.ts";
import type { ProgressStep } from "../../src/templates/progress-state.ts";
import {
  type BodyProps,
  CHECK,
  CROSS,
  dataOf,
  Icon,
  Name,
  Notice,
  Text,
  textOf,
  useShell,
  useToolCall,
} from "../shell/shell.tsx";
import { useWork, type Work } from "./work.ts";

/** The bar, the steps and the way to stop. */
export function Progress(props: BodyProps<ProgressConfig, unknown>) {
  const { config, input, isWriting, result } = props;
  const { label, announce, tellModel } = useShell();
  const work = useWork(props);
  const { state, past, lost, retry } = work;
  const { status, percent, step, steps, error } = state;
  const isOver = status !== "running" && status !== "notStarted";
  const wasOver = useRef(isOver);
  useEffect(() => {
    if (isOver && !wasOver.current) {
      announce(label(status));
      tellModel(`"${config.title ?? "The work"}" is ${status}. ${error ?? step ?? ""}`.trim());
    }
    wasOver.current = isOver;
  }, [isOver, status, error, step, config, label, announce, tellModel]);
  // What the model still writes is not to be acted on (VEW-09), and there is nothing to stop yet.
  const isBegun = result !== undefined || (input !== undefined && !isWriting);
  const isToldSteps = config.showCurrentStep !== false;
  return (
    <div class="progress">
      <Bar work={work} config={config} />
      {isToldSteps && (
        <Steps
          steps={steps.length > 0 ? steps : past.map((label) => ({ label, status: "done" }))}
        />
      )}
      {status === "failed" && <Notice tone="danger" title={label("failed")} text={error ?? step} />}
      {status === "done" && percent === 100 && !isToldSteps && (
        <Notice tone="success" title={label("done")} />
      )}
      {lost !== undefined && !isOver && (
        <Notice tone="danger" title={label("lost")} text={lost}>
          <button type="button" class="button" onClick={retry}>
            {label("retry")}
          </button>
        </Notice>
      )}
      {config.cancelTool !== undefined && isBegun && <Cancel work={work} config={config} />}
    </div>
  );
}

function Bar({ work: { state }, config }: { work: Work; config: ProgressConfig }) {
  const { label, format } = useShell();
  const { status, percent, step } = state;
  const isKnown = percent !== undefined;
  const isOpen = !isKnown && status === "running";
  const share = isKnown
    ? format.number(percent / 100, { style: "percent", maximumFractionDigits: 0 })
    : undefined;
  const isTold = config.showCurrentStep !== false;
  const now = status === "running" ? (isTold && step) || label("running") : label(status);
  return (
    <>
      <div class="line">
        <p>
          <Text value={now} />
        </p>
        {config.showPercentage !== false && share && <strong>{share}</strong>}
      </div>
      <div
        class={`bar ${status}${isOpen ? " open" : ""}`}
        role="progressbar"
        aria-label={config.title ?? label("bar")}
        aria-valuemin={0}
        aria-valuemax={100}
        {...(isKnown && { "aria-valuenow": Math.round(percent) })}
        aria-valuetext={share === undefined ? now : `${share}, ${now}`}
      >
        <i style={isOpen ? undefined : { inlineSize: `${percent ?? 0}%` }} />
      </div>
    </>
  );
}

function Steps({ steps }: { steps: readonly ProgressStep[] }) {
  const { label } = useShell();
  if (steps.length === 0) return null;
  return (
    <ol class="steps">
      {steps.map(({ label: name, status }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place.
        <li key={at} class={status}>
          {status === "done" && <Icon path={CHECK} />}
          {status === "failed" && <Icon path={CROSS} />}
          {status === "running" && <span class="spinner" aria-hidden="true" />}
          {(status === "waiting" || status === "cancelled") && (
            <span class="dot" aria-hidden="true" />
          )}
          <span>
            <Text value={name} />
            <span class="hidden"> ({label(status)})</span>
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Stops the work, after a question if one is to be asked. */
function Cancel({ work, config }: { work: Work; config: ProgressConfig }) {
  const { label, announce } = useShell();
  const { state, call } = useToolCall();
  const [isAsking, setAsking] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const { cancelTool = "", cancelArgs, cancelConfirm = true } = config;
  const isPending = state.status === "pending";
  const cancel = async (): Promise<void> => {
    setAsking(false);
    const result = await call(cancelTool, { ...cancelArgs, ...work.shared });
    // A server that returns no status has stopped the work too.
    if (result)
      work.take({ status: "cancelled", step: textOf(result), ...asRecord(dataOf(result)) });
  };
  const keep = (): void => {
    setAsking(false);
    requestAnimationFrame(() => button.current?.focus());
  };
  if (work.state.status !== "running") {
    return state.status === "done" && textOf(state.result) ? (
      <p class="soft">
        <Text value={textOf(state.result)} />
      </p>
    ) : null;
  }
  if (isAsking) {
    const question = typeof cancelConfirm === "string" ? cancelConfirm : label("sure");
    return <Question question={question} onYes={cancel} onNo={keep} />;
  }
  return (
    <>
      {state.status === "failed" && (
        <Notice tone="danger" title={label("notCancelled")} text={state.text} />
      )}
      <div>
        <button
          type="button"
          class="button"
          ref={button}
          aria-disabled={isPending}
          onClick={() => {
            if (isPending) return;
            if (cancelConfirm === false) cancel();
            else setAsking(true);
            if (cancelConfirm === false) announce(label("cancelling"));
          }}
        >
          {isPending && <span class="spinner" aria-hidden="true" />}
          {label(isPending ? "cancelling" : "cancel")}
        </button>
      </div>
    </>
  );
}

/** In the page and not in a dialog: a View's frame is often no larger than its content. */
function Question({ question, onYes, onNo }: { question: string; onYes(): void; onNo(): void }) {
  const { label } = useShell();
  const safe = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => safe.current?.focus(), []);
  const leave = ({ key }: { key: string }): void => {
    if (key === "Escape") onNo();
  };
  return (
    <div class="notice" role="alertdialog" aria-labelledby="question" onKeyDown={leave}>
      <div class="ask">
        <p id="question">
          <Name value={question} length={400} />
        </p>
        <button type="button" class="button danger" onClick={onYes}>
          {label("yesCancel")}
        </button>
        <button type="button" class="button" ref={safe} onClick={onNo}>
          {label("keep")}
        </button>
      </div>
    </div>
  );
}

function asRecord(data: unknown): object {
  return typeof data === "object" && data !== null && !Array.isArray(data) ? data : {};
}
