import { mount } from "svelte";
import TaskView from "./task-view.svelte";
import "./tasks.css";

const target = document.getElementById("app");
if (!target) throw new Error("The page has no element #app.");
mount(TaskView, { target });
