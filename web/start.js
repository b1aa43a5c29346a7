/* Read the data, show it, and export the state for tests (web/README.md). */
function looker(app) {
	const panes = () => (app.current.panes ? app.current.panes() : [app.current.pane()])
		.filter((pane) => pane && pane.tree && pane.canvas.checkVisibility());
	const name = (pane, node) => (node >= 0 ? app.profile.nameOf(pane.tree.frame[node]) : "");
	const boxes = (n) => {
		const pane = panes()[n || 0];
		const found = [];
		pane.visit({
			root(left, right) {
				found.push({ node: -1, name: "", x: left, y: pane.top(-1), width: right - left, height: ROW });
			},
			box(node, left, right, depth) {
				found.push({ node, name: name(pane, node), x: left, y: pane.top(depth),
					width: right - left, height: ROW });
			},
			thin() {},
		});
		return found;
	};
	return {
		view: () => app.view,
		state: () => app.fragment(),
		boxes,
		selected: () => name(panes()[0], panes()[0].selected),
		zoomed: () => name(panes()[0], panes()[0].zoomed),
		busy: () => panes().some((pane) => pane.motion !== null),
		times: () => (app.current.told ? app.current.told() : null),
		profile: Object.freeze({ frames: app.profile.n, nodes: app.profile.tree.n,
			total: app.profile.weights.all, samples: app.profile.samples }),
	};
}

/* Return the payload of the event in the link, else of the first one. */
function chosenOf(payload) {
	const all = [payload, ...(payload.others || [])];
	const { event } = readFragment(location.hash);
	return { ...(all.find((one) => one.event === event) || payload),
		events: all.map((one) => one.event) };
}

async function start() {
	const payload = JSON.parse(byId("pipa-data").textContent);
	const app = new App(await Profile.of(chosenOf(payload)));
	setTimeout(() => app.search.joined(false), 300); /* prepare the first search */
	return Object.freeze(looker(app));
}

function failed(error) {
	byId("views").replaceChildren(make("p", "empty", `This page cannot show its data: ${error.message}.`));
	console.error(error);
	return Object.freeze({ failed: error.message });
}

const ready = start().catch(failed);
Object.defineProperty(window, "pipa", { value: Object.freeze({ ready }) });
