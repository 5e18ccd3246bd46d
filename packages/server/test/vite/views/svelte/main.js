import "../weather.css";
import { mount } from "svelte";
import WeatherCard from "./weather-card.svelte";

mount(WeatherCard, { target: document.getElementById("app") });
