import type { Member } from "./membership.ts";

/** A notification that belongs to a call which somebody else waits for. */
export interface Note {
  call: number;
  text: string;
  method: string;
}

/** How notes are sent. */
export interface NotesOptions {
  /** Sends some of them to a process; they may be lost. */
  send(to: Member, notes: readonly Note[]): void;
  /** Milliseconds that they are collected for. */
  wait?: number;
  /** How many of one call are kept; beyond, of its progress only the last. */
  most?: number;
}

interface Desk {
  to: Member;
  notes: Note[];
  timer: NodeJS.Timeout;
}

const PROGRESS = "notifications/progress";

/** Collects what is told of calls, for each process that waits for some. */
export class Notes {
  readonly #options: Required<NotesOptions>;
  readonly #desks = new Map<string, Desk>();

  constructor(options: NotesOptions) {
    this.#options = { wait: 20, most: 16, ...options };
  }

  add(to: Member, note: Note): void {
    const { wait, most } = this.#options;
    const name = `${to.node}.${to.epoch}`;
    let desk = this.#desks.get(name);
    if (!desk) {
      const timer = setTimeout(() => this.#flush(name), wait);
      desk = { to, notes: [], timer };
      this.#desks.set(name, desk);
    }
    const { notes } = desk;
    const isOwn = ({ call }: Note): boolean => call === note.call;
    if (notes.filter(isOwn).length >= most) {
      // The last value of a progress tells everything that those before it did.
      const place = notes.findLastIndex((each) => isOwn(each) && each.method === PROGRESS);
      if (place < 0 || note.method !== PROGRESS) return;
      notes.splice(place, 1);
    }
    notes.push(note);
  }

  /** What was not sent yet of a call that is over: it goes with the answer, and before it. */
  take(to: Member, call: number): Note[] {
    const desk = this.#desks.get(`${to.node}.${to.epoch}`);
    if (!desk) return [];
    const taken = desk.notes.filter((note) => note.call === call);
    desk.notes = desk.notes.filter((note) => note.call !== call);
    return taken;
  }

  close(): void {
    for (const { timer } of this.#desks.values()) clearTimeout(timer);
    this.#desks.clear();
  }

  #flush(name: string): void {
    const desk = this.#desks.get(name);
    this.#desks.delete(name);
    if (desk && desk.notes.length > 0) this.#options.send(desk.to, desk.notes);
  }
}
