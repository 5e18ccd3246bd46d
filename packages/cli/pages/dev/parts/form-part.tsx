// The parts of a form by their node: fields, and the groups, lists and choices that contain them.

import { type ReactNode, useId } from "react";
import {
  chosenDraft,
  type Draft,
  initialDraft,
  type ListDraft,
  newItem,
  type ObjectDraft,
} from "../form/form-draft.ts";
import type { ChoiceNode, FormNode, ListNode, ObjectNode } from "../form/form-node.ts";
import { constantOf, pathOf } from "../form/form-reading.ts";
import { FieldInput } from "./field-input.tsx";
import { Icon } from "./icon.tsx";

interface PartProps<Node extends FormNode = FormNode> {
  node: Node;
  /** As the server calls it, or a number in a list. */
  name: string;
  required: boolean;
  draft: Draft;
  path: string;
  /** By path. */
  errors: ReadonlyMap<string, string>;
  onChange(draft: Draft): void;
}

// A user who adds more than this writes JSON.
const MOST_ITEMS = 200;

/** Any node of a form. */
export function FormPart(props: PartProps): ReactNode {
  const { node, errors, path } = props;
  switch (node.kind) {
    case "object":
      return <ObjectPart {...props} node={node} />;
    case "list":
      return <ListPart {...props} node={node} />;
    case "choice":
      return <ChoicePart {...props} node={node} />;
    default:
      return <FieldInput {...props} node={node} error={errors.get(path)} />;
  }
}

/** The fields of an object, one below the other. */
export function ObjectFields({
  node,
  draft,
  path,
  errors,
  onChange,
}: Omit<PartProps<ObjectNode>, "name" | "required">): ReactNode {
  const { fields } = draft as ObjectDraft;
  // A required constant leaves nothing to choose; it is sent without a field.
  const open = node.fields.filter((field) => !(field.required && constantOf(field.node)));
  return open.map((field) => (
    <FormPart
      key={field.name}
      node={field.node}
      name={field.name}
      required={field.required}
      draft={fields.get(field.name)}
      path={pathOf(path, field.name)}
      errors={errors}
      onChange={(next) => onChange({ fields: new Map(fields).set(field.name, next) })}
    />
  ));
}

function ObjectPart(props: PartProps<ObjectNode>): ReactNode {
  const { draft } = props;
  return (
    <Group {...props} kind="object">
      {typeof draft === "object" && <ObjectFields {...props} />}
    </Group>
  );
}

function ListPart(props: PartProps<ListNode>): ReactNode {
  const { node, name, draft, path, errors, onChange } = props;
  const items = (draft as ListDraft | undefined)?.items ?? [];
  const label = node.title || name;
  const set = (next: ListDraft["items"]): void =>
    onChange(next.length === 0 && !props.required ? undefined : { items: next });
  const move = (from: number, to: number): void => {
    const rest = items.filter((_, index) => index !== from);
    const moved = items[from];
    if (moved) set([...rest.slice(0, to), moved, ...rest.slice(to)]);
  };
  return (
    <Group {...props} kind="array" isFolding={false}>
      {items.map(({ id, draft: item }, index) => (
        <div className="item" key={id}>
          <FormPart
            node={node.item}
            name={`${label} ${index + 1}`}
            required
            draft={item}
            path={pathOf(path, index)}
            errors={errors}
            onChange={(next) =>
              set(items.map((each) => (each.id === id ? { id, draft: next } : each)))
            }
          />
          <div className="item-actions">
            <ItemButton
              label={`Move ${label} ${index + 1} up`}
              icon="up"
              isDisabled={index === 0}
              onClick={() => move(index, index - 1)}
            />
            <ItemButton
              label={`Move ${label} ${index + 1} down`}
              icon="down"
              isDisabled={index === items.length - 1}
              onClick={() => move(index, index + 1)}
            />
            <ItemButton
              label={`Remove ${label} ${index + 1}`}
              icon="close"
              onClick={() => set(items.filter((each) => each.id !== id))}
            />
          </div>
        </div>
      ))}
      <button
        type="button"
        className="plain small add"
        disabled={items.length >= Math.min(node.maximum ?? MOST_ITEMS, MOST_ITEMS)}
        onClick={() => set([...items, newItem(initialDraft(node.item, true))])}
      >
        Add {items.length === 0 ? "an item" : "another"}
        <span className="unseen"> to {label}</span>
      </button>
    </Group>
  );
}

function ItemButton({
  label,
  icon,
  isDisabled = false,
  onClick,
}: {
  label: string;
  icon: "up" | "down" | "close";
  isDisabled?: boolean;
  onClick(): void;
}): ReactNode {
  return (
    <button
      type="button"
      className="bare"
      aria-label={label}
      title={label}
      disabled={isDisabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

function ChoicePart(props: PartProps<ChoiceNode>): ReactNode {
  return (
    <Group {...props} kind="one of">
      {typeof props.draft === "object" && <ChoiceBranch {...props} />}
    </Group>
  );
}

/** The choice between alternatives, and the chosen one. */
export function ChoiceBranch({
  node,
  name,
  draft,
  path,
  errors,
  onChange,
}: PartProps<ChoiceNode>): ReactNode {
  const chosen = draft as Extract<Draft, { branch: number }>;
  const branch = node.branches[chosen.branch];
  const change = (next: Draft): void =>
    onChange({ ...chosen, drafts: new Map(chosen.drafts).set(chosen.branch, next) });
  const part = { name: "value", path, errors, draft: chosen.drafts.get(chosen.branch) };
  return (
    <>
      <select
        aria-label={`Kind of ${node.title || name}`}
        value={chosen.branch}
        onChange={({ target }) =>
          onChange(chosenDraft(node.branches, Number(target.value), chosen))
        }
      >
        {node.branches.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: alternatives have no names and never move.
          <option key={index} value={index}>
            {branchName(each, index)}
          </option>
        ))}
      </select>
      {branch?.kind === "object" ? (
        <ObjectFields {...part} node={branch} onChange={change} />
      ) : (
        branch && <FormPart {...part} node={branch} required onChange={change} />
      )}
    </>
  );
}

/** A branch by its title, by its constant, or by its type. */
function branchName(node: FormNode, index: number): string {
  if (node.title) return node.title;
  if (node.kind !== "object") return node.kind === "list" ? "list" : node.kind;
  const constant = node.fields.find(({ node: field }) => constantOf(field))?.node;
  return (constant?.kind === "enum" && constant.options?.[0]?.label) || `Option ${index + 1}`;
}

/** A named group. One that isn't required is only sent after the user added it. */
function Group({
  node,
  name,
  required,
  draft,
  path,
  errors,
  kind,
  isFolding = true,
  onChange,
  children,
}: PartProps & { kind: string; isFolding?: boolean; children: ReactNode }): ReactNode {
  const id = useId();
  const error = errors.get(path);
  const label = node.title || name;
  const canFold = isFolding && (!required || draft === undefined);
  return (
    <fieldset className="field group-field" data-kind={kind} aria-describedby={error && id}>
      <legend className="name">
        <bdi>{label}</bdi>
        {node.title && node.title !== name && <code>{name}</code>}
        <small className="kind">
          {kind}
          {required && " · required"}
        </small>
      </legend>
      {error && (
        <span className="error" id={id}>
          {error}
        </span>
      )}
      {node.description && <span className="hint">{node.description}</span>}
      {canFold && (
        <button
          type="button"
          className="plain small add"
          onClick={() => onChange(draft === undefined ? initialDraft(node, true) : undefined)}
        >
          {draft === undefined ? "Add" : "Remove"}
          <span className="unseen"> {label}</span>
        </button>
      )}
      {children && <div className="group-parts">{children}</div>}
    </fieldset>
  );
}
