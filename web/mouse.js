/* Pointer and wheel over a pane. */
class PaneMouse {
	constructor(pane) {
		this.pane = pane;
		this.drag = null;
		const { canvas } = pane;
		canvas.addEventListener("pointermove", (event) => this.moved(event));
		canvas.addEventListener("pointerleave", () => this.left());
		canvas.addEventListener("pointerdown", (event) => {
			if (event.button === 0)
				this.drag = { x: event.offsetX, moved: false };
		});
		canvas.addEventListener("pointerup", (event) => this.up(event));
		canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
	}

	moved(event) {
		const { pane, drag } = this;
		if (drag && event.buttons & 1) {
			if (!drag.moved && Math.abs(event.offsetX - drag.x) < 5)
				return;
			if (!drag.moved)
				pane.canvas.setPointerCapture(event.pointerId);
			drag.moved = true;
			pane.canvas.classList.add("dragged");
			pane.pan(drag.x - event.offsetX);
			drag.x = event.offsetX;
			return;
		}
		const node = pane.at(event.offsetX, event.offsetY);
		if (node === null)
			pane.app.tip.hide();
		else
			pane.app.tip.frame(pane.app.profile, pane, node, event.clientX, event.clientY);
		if (node !== pane.hover) {
			pane.hover = node;
			pane.draw();
		}
	}

	left() {
		this.pane.hover = null;
		this.pane.app.tip.hide();
		this.pane.draw();
	}

	up(event) {
		const { pane, drag } = this;
		this.drag = null;
		pane.canvas.classList.remove("dragged");
		if (!drag || drag.moved) {
			pane.app.remember();
			return;
		}
		const node = pane.at(event.offsetX, event.offsetY);
		if (node === null)
			return;
		pane.select(node);
		pane.zoom(node);
	}

	wheel(event) {
		const { pane } = this;
		const across = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
		if (event.ctrlKey || event.metaKey) {
			event.preventDefault();
			pane.scale(Math.exp(Math.min(Math.max(event.deltaY, -200), 200) / 300), event.offsetX);
		} else if (across && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) {
			event.preventDefault();
			pane.pan(across);
		}
	}
}
