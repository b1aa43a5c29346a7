"use strict";
document.getElementById("app").textContent =
	JSON.parse(document.getElementById("pipa-data").textContent).title;
