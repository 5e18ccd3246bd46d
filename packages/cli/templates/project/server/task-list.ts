// Where the tasks are. In memory, so that nothing has to be set up: put your database here.

import { randomUUID } from "node:crypto";

export interface Task {
  id: string;
  title: string;
  done: boolean;
}

const list: Task[] = [
  { id: "1", title: "Look at the View", done: true },
  { id: "2", title: "Change it, and see it change", done: false },
  { id: "3", title: "Make it your own", done: false },
];

export function allTasks(): Task[] {
  return list;
}

export function addTask(title: string): void {
  list.push({ id: randomUUID(), title, done: false });
}

/** Whether there is such a task. */
export function setDone(id: string, done: boolean): boolean {
  const task = list.find((each) => each.id === id);
  if (task) task.done = done;
  return task !== undefined;
}
