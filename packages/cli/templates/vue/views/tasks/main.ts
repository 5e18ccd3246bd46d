import { createApp } from "vue";
import TaskView from "./task-view.vue";
import "./tasks.css";

createApp(TaskView).mount("#app");
