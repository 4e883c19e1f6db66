// The value of a function as documents publish it: docs/formats/documents.md.

export interface PublishedFactor {
    parameter: string;
    exponent?: string;
    log_exponent?: string;
    law?: 'exponential' | 'factorial';
    rate?: number;
    of?: 'x^(1/2)' | 'x/log2(x)' | 'x' | 'x*log2(x)' | 'x^2';
    segments?: PublishedSegment[];
}

export interface PublishedTerm {
    coefficient: number;
    factors: PublishedFactor[];
}

export interface PublishedSegment {
    from: number | null;
    to: number | null;
    function: PublishedFunction;
}

export interface PublishedFunction {
    constant?: number;
    terms?: PublishedTerm[];
    parameter?: string;
    segments?: PublishedSegment[];
}

export type Point = Record<string, number>;

/** "3/4", "-1", "2". */
export function fraction(text: string | undefined): number {
    if (!text) return 0;
    const [numerator, denominator] = text.split('/');
    return Number(numerator) / Number(denominator ?? 1);
}

/** ln of x!, by Stirling's series from 12 on, where it is right to 15 digits, and by recurrence below. */
function logFactorial(x: number): number {
    let z = x + 1;
    let shift = 0;
    while (z < 12) {
        shift += Math.log(z);
        z += 1;
    }
    const s = 1 / (z * z);
    const series = (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - (s * 691) / 360360))))) / z;
    return (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series - shift;
}

/** ln of a law's value. */
function logLaw(factor: PublishedFactor, x: number): number {
    if (factor.law === 'factorial') return logFactorial(x);
    const shapes = {
        'x^(1/2)': Math.sqrt(x), 'x/log2(x)': x / Math.log2(x), x, 'x*log2(x)': x * Math.log2(x), 'x^2': x * x,
    };
    return Math.LN2 * (factor.rate ?? 0) * shapes[factor.of ?? 'x'];
}

function power(x: number, exponent: number): number {
    return exponent === 0 ? 1 : Math.pow(x, exponent);
}

function piece(segments: PublishedSegment[], x: number): PublishedFunction | undefined {
    return segments.find((s) => (s.from === null || x >= s.from) && (s.to === null || x <= s.to))?.function;
}

function termValue(term: PublishedTerm, at: Point): number {
    let product = 1;
    let laws = 0; // the logarithm: a law may be beyond all numbers where its term is not
    let hasLaw = false;
    for (const factor of term.factors) {
        const x = at[factor.parameter];
        if (factor.segments) {
            const part = piece(factor.segments, x);
            product *= part ? evaluate(part, at, factor.parameter) : NaN;
            continue;
        }
        product *= power(x, fraction(factor.exponent)) * power(Math.log2(x), fraction(factor.log_exponent));
        if (factor.law) {
            hasLaw = true;
            laws += logLaw(factor, x);
        }
    }
    if (!hasLaw) return term.coefficient * product;
    const sign = Math.sign(term.coefficient) * Math.sign(product);
    return sign * Math.exp(Math.log(Math.abs(term.coefficient)) + Math.log(Math.abs(product)) + laws);
}

/** Not a number where the function has no value. `along` is what segments that name no parameter go along. */
export function evaluate(f: PublishedFunction, at: Point, along?: string): number {
    if (f.segments) {
        const parameter = f.parameter ?? along ?? Object.keys(at)[0];
        const part = piece(f.segments, at[parameter]);
        return part ? evaluate(part, at, parameter) : NaN;
    }
    let total = f.constant ?? 0;
    for (const term of f.terms ?? []) total += termValue(term, at);
    return total;
}
