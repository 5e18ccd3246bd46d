import "../weather.css";
import { createApp } from "vue";
import WeatherCard from "./weather-card.vue";

createApp(WeatherCard).mount("#app");
