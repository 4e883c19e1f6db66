// What is on the screen as a file. Nothing leaves the page: the browser saves what is made here.

import { csv } from '../format';

function save(name: string, content: Blob) {
    const address = URL.createObjectURL(content);
    const anchor = document.createElement('a');
    anchor.href = address;
    anchor.download = name;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
}

export function fileName(title: string, end: string): string {
    const plain = title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '').slice(0, 80);
    return `${plain || 'plot'}.${end}`;
}

export function saveCsv(title: string, head: string[], rows: (string | number | null)[][]) {
    save(fileName(title, 'csv'), new Blob(['\ufeff', csv(head, rows)], { type: 'text/csv' }));
}

const kept = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linejoin', 'stroke-linecap',
    'opacity', 'font-family', 'font-size', 'font-weight', 'font-style', 'text-anchor', 'dominant-baseline', 'paint-order'];

/** The drawing as text that stands alone, in the light colours that paper wants. */
export function svgText(svg: SVGSVGElement): string {
    const root = document.documentElement;
    const theme = root.dataset.theme;
    root.dataset.theme = 'light';
    const copy = svg.cloneNode(true) as SVGSVGElement;
    const from = [svg, ...svg.querySelectorAll<SVGElement>('*')];
    const to = [copy, ...copy.querySelectorAll<SVGElement>('*')];
    from.forEach((element, i) => {
        const style = getComputedStyle(element);
        for (const name of kept) to[i].setAttribute(name, style.getPropertyValue(name));
        to[i].removeAttribute('class');
        to[i].removeAttribute('style');
    });
    copy.querySelectorAll('[data-screen]').forEach((element) => element.remove());
    if (theme === undefined) delete root.dataset.theme;
    else root.dataset.theme = theme;
    const { width, height } = svg.viewBox.baseVal;
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    copy.setAttribute('width', String(width));
    copy.setAttribute('height', String(height));
    const paper = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    paper.setAttribute('width', '100%');
    paper.setAttribute('height', '100%');
    paper.setAttribute('fill', '#ffffff');
    copy.insertBefore(paper, copy.firstChild);
    return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

export function saveSvg(title: string, svg: SVGSVGElement) {
    save(fileName(title, 'svg'), new Blob([svgText(svg)], { type: 'image/svg+xml' }));
}

export function savePng(title: string, svg: SVGSVGElement) {
    const image = new Image();
    const { width, height } = svg.viewBox.baseVal;
    const finer = 2;
    image.onload = () => {
        const canvas = document.createElement('canvas');
        canvas.width = finer * width;
        canvas.height = finer * height;
        canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
        canvas.toBlob((content) => content && save(fileName(title, 'png'), content), 'image/png');
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(svg))}`;
}
