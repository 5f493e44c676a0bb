// A figure as a file: the drawing on the page itself, in the colors of print. PNG is as wide as a slide, on white.
const DPI = 160, WIDEST = 1920; // a drawing is measured in points, 72 to the inch
for (const button of document.querySelectorAll("button.file")) {
  button.addEventListener("click", async () => {
    const drawing = button.closest("figure").querySelector(".canvas > svg").cloneNode(true);
    const { width, height } = drawing.viewBox.baseVal, scale = Math.min(DPI / 72, WIDEST / width);
    drawing.setAttribute("width", scale * width);
    drawing.setAttribute("height", scale * height);
    const link = document.createElement("a");
    link.href = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(drawing))}`;
    link.download = `${button.value}.${button.textContent.toLowerCase()}`;
    if (button.textContent === "PNG") {
      const image = new Image(), canvas = document.createElement("canvas"), paper = canvas.getContext("2d");
      image.src = link.href;
      await image.decode();
      Object.assign(canvas, { width: image.width, height: image.height });
      paper.fillStyle = "white";
      paper.fillRect(0, 0, image.width, image.height);
      paper.drawImage(image, 0, 0);
      link.href = canvas.toDataURL();
    }
    link.click();
  });
}
