// Functions typeset in HTML: products, raised exponents, logarithms with their base.

import type { ComponentChildren, JSX } from 'preact';
import { fraction, type PublishedFactor, type PublishedFunction, type PublishedTerm } from './evaluate';
import { exact, plain } from './format';

const coefficient = (value: number) => plain(value, 4);

function raisedTo(base: ComponentChildren, exponent: string | undefined): JSX.Element {
    if (exponent === undefined || exponent === '1') return <>{base}</>;
    const isFitted = Number(exponent.split('/')[1] ?? 1) > 24; // a number, and no fraction that people know
    return <>{base}<sup>{isFitted ? plain(fraction(exponent)) : exponent.replace('-', '−')}</sup></>;
}

const shapes: Record<string, (x: string) => JSX.Element> = {
    'x^(1/2)': (x) => <><i>{x}</i><sup>1/2</sup></>,
    'x/log2(x)': (x) => <><i>{x}</i>/log<sub>2</sub>&thinsp;<i>{x}</i></>,
    x: (x) => <i>{x}</i>,
    'x*log2(x)': (x) => <><i>{x}</i>&thinsp;log<sub>2</sub>&thinsp;<i>{x}</i></>,
    'x^2': (x) => <><i>{x}</i><sup>2</sup></>,
};

function Factor({ factor }: { factor: PublishedFactor }) {
    const x = <i>{factor.parameter}</i>;
    if (factor.segments) return <>(<Segments segments={factor.segments} parameter={factor.parameter} />)</>;
    const parts: JSX.Element[] = [];
    if (factor.exponent && factor.exponent !== '0') parts.push(raisedTo(x, factor.exponent));
    if (factor.log_exponent && factor.log_exponent !== '0') {
        const log = raisedTo(<>log<sub>2</sub></>, factor.log_exponent);
        parts.push(<>{log}&thinsp;{x}</>);
    }
    if (factor.law === 'factorial') parts.push(<>{x}!</>);
    if (factor.law === 'exponential') {
        parts.push(<>2<sup>{plain(factor.rate ?? 0, 4)}&thinsp;{shapes[factor.of ?? 'x'](factor.parameter)}</sup></>);
    }
    return <>{parts.map((part, i) => <>{i > 0 && <>&thinsp;·&thinsp;</>}{part}</>)}</>;
}

function isLog(factor: PublishedFactor): boolean {
    return !factor.segments && !factor.law && (factor.exponent ?? '0') === '0';
}

function Term({ term, first }: { term: PublishedTerm; first: boolean }) {
    // Powers before logarithms: log p · n would read as the logarithm of both.
    const factors = [...term.factors].sort((a, b) => Number(isLog(a)) - Number(isLog(b)));
    const size = Math.abs(term.coefficient);
    const sign = term.coefficient < 0 ? '−' : first ? '' : '+';
    const isOne = coefficient(size) === coefficient(1) && term.factors.length > 0;
    return (
        <span class="term">
            {sign && <>{sign}{first ? '' : '\u2009'}</>}
            {!isOne && coefficient(size)}
            {factors.map((factor, i) => <>{(i > 0 || !isOne) && <>&thinsp;·&thinsp;</>}<Factor factor={factor} /></>)}
        </span>
    );
}

function Segments({ segments, parameter }: { segments: PublishedFunction['segments']; parameter: string }) {
    return (
        <>
            {(segments ?? []).map((s, i) => (
                <span class="segment">
                    {i > 0 && '; '}
                    <Sum f={s.function} />
                    <span class="dim">
                        {' for '}
                        {s.from !== null && <>{exact(s.from)} ≤ </>}
                        <i>{parameter}</i>
                        {s.to !== null && <> ≤ {exact(s.to)}</>}
                    </span>
                </span>
            ))}
        </>
    );
}

function Sum({ f }: { f: PublishedFunction }) {
    const terms = f.terms ?? [];
    const hasConstant = (f.constant ?? 0) !== 0 || terms.length === 0;
    return (
        <>
            {hasConstant && (f.constant === 1 ? '1' : coefficient(f.constant ?? 0))}
            {terms.map((term, i) => <>{(hasConstant || i > 0) && ' '}<Term term={term} first={i === 0 && !hasConstant} /></>)}
        </>
    );
}

/** A function of the parameters' names; a piecewise one by its segments. */
export function Formula({ f, parameters }: { f: PublishedFunction; parameters: string[] }) {
    return (
        <span class="formula">
            {f.segments ? <Segments segments={f.segments} parameter={f.parameter ?? parameters[0]} /> : <Sum f={f} />}
        </span>
    );
}

/** A formula that is there as text alone: `p^(1/2) * log2(p)`. */
export function GrowthText({ text }: { text: string }) {
    if (text === '1') return <span class="growth bounded">bounded</span>;
    const pieces = text.split(/(\^\([^)]*\)|log2\([^()]*\)| \* | \+ )/);
    return (
        <span class="growth">
            {pieces.map((piece) => {
                if (piece === ' * ') return <>&thinsp;·&thinsp;</>;
                if (piece === ' + ') return piece;
                if (piece.startsWith('log2(')) return <>log<sub>2</sub>&thinsp;<i>{piece.slice(5, -1)}</i></>;
                if (piece.startsWith('^(')) return <sup>{piece.slice(2, -1)}</sup>;
                return <i>{piece}</i>;
            })}
        </span>
    );
}

/** How fast something grows: the sum of terms without coefficients. */
export function Growth({ growth, parameters }: { growth: { text: string; function?: PublishedFunction }; parameters: string[] }) {
    if (!growth.function) return <span class="dim">–</span>;
    if (growth.text === '1') return <span class="growth bounded">bounded</span>;
    return <span class="growth"><Formula f={growth.function} parameters={parameters} /></span>;
}
