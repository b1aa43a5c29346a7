"use strict";

// Reads the data and begins; last.
const report = JSON.parse(document.getElementById("pipa-data").textContent);
document.getElementById("report").textContent = report.title;
