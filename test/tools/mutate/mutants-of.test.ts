import { describe, expect, it } from 'vitest'
import { type Mutant, mutantsOf, withMutant } from './mutants-of.ts'

/** Each change of a source as its kind and the whole text with it. */
const changed = (source: string): string[] =>
  mutantsOf('a.ts', source).map(mutant => `${mutant.kind}: ${withMutant(source, mutant)}`)

describe('mutants', () => {
  it.each<[source: string, mutants: string[]]>([
    [
      'if (a < b) c = d',
      ['condition: if (true) c = d', 'condition: if (false) c = d', 'operator: if (a <= b) c = d'],
    ],
    ['x = a && !b', ['operator: x = a || !b', 'operator: x = a && b']],
    ['x = (a) === (b)', ['operator: x = (a) !== (b)']],
    ['x = a ?? b', ['condition: x = (a)']],
    ['x = a ? b : c', ['condition: x = (b)', 'condition: x = (c)']],
    ['const LIMIT = 10', ['bound: const LIMIT = 11']],
    ['x = i + 1', ['operator: x = i - 1', 'bound: x = i + 2']],
    ['x = text + other', []],
    ['x = { isOn: true }', ['boolean: x = { isOn: false }']],
    ['save(a)', ['call: void 0']],
    ['await save(a)', ['call: void 0', 'await: void save(a)']],
    ['x = await load(a)', []],
    ['x = list.filter(isOpen)', ['call: x = list']],
    ['const f = () => a > b', ['return: const f = () => true', 'operator: const f = () => a >= b']],
    ['const f = () => list.map(g)', ['return: const f = () => []']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source
    ['const f = () => `${a}`', ["return: const f = () => ''"]],
    ['const f = () => ({ a })', ['return: const f = () => (undefined)']],
    ['const f = () => { return load(a) }', ['return: const f = () => { return undefined }']],
    ['const f = () => { return }', []],
  ])('of %s', (source, mutants) => {
    expect(changed(source)).toEqual(mutants)
  })

  it('are made of nothing that is gone when the program runs', () => {
    expect(changed("import { a } from 'b' with { type: 'json' }")).toEqual([])
    expect(changed('interface A { b: true; c: 1 }')).toEqual([])
    expect(changed('type A<B> = B extends 1 ? true : false')).toEqual([])
    expect(changed('const a: 1 | 2 = b as 2')).toEqual([])
    expect(changed('const a = [1] as const satisfies 2[]')).toEqual([
      'bound: const a = [2] as const satisfies 2[]',
    ])
  })

  it('are made of views, too', () => {
    const [mutant] = mutantsOf('a.tsx', 'const view = () => <p>{isOpen && <b>open</b>}</p>').slice(1)
    expect(mutant).toMatchObject({ kind: 'operator', replacement: '||' })
  })

  it('say where they are', () => {
    const source = 'const a = b\n\nconst c =\n  d < 3\n'
    expect(mutantsOf('a.ts', source).map(({ line, kind }) => [line, kind])).toEqual([
      [4, 'operator'],
      [4, 'bound'],
    ])
  })

  it('each change the source, and leave a program', () => {
    const source =
      'const f = async (a: number) => { if (a > 1 || !b) await g(a); h(); return [a].slice(0, 2) }'
    const mutants: Mutant[] = mutantsOf('a.ts', source)
    expect(mutants.length).toBeGreaterThan(8)
    for (const mutant of mutants) {
      const text = withMutant(source, mutant)
      expect(text).not.toBe(source)
      expect(() => mutantsOf('a.ts', text)).not.toThrow()
    }
  })
})
