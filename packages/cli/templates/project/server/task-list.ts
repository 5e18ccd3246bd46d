// Stores the tasks in memory, so that no setup is needed. Put your database here.

import { randomUUID } from "node:crypto";

export interface Task {
  id: string;
  title: string;
  done: boolean;
}

const list: Task[] = [
  { id: "1", title: "Open the view", done: true },
  { id: "2", title: "Change it, and watch it update", done: false },
  { id: "3", title: "Make it your own", done: false },
];

export function allTasks(): Task[] {
  return list;
}

export function addTask(title: string): void {
  list.push({ id: randomUUID(), title, done: false });
}

/** Whether the task exists. */
export function setDone(id: string, done: boolean): boolean {
  const task = list.find((each) => each.id === id);
  if (task) task.done = done;
  return task !== undefined;
}
