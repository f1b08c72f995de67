import { execFile } from 'node:child_process'
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { compilePattern } from '#local/runtime/events/event-pattern.ts'
import { synthesiseStack } from '#support/synthesise-stack.ts'
import type { ContractSuite, SuiteResult } from '../contract-suite.ts'
import { fetchJars, findJava } from '../implementations/cache.ts'

const artifact = 'software.amazon.event.ruler:event-ruler:2.1.0'
const OLDEST_JAVA = 11
const RANDOM_PATTERNS = 12_000
const MOST_SHOWN = 10

type Case = readonly [pattern: unknown, event: unknown]

/** The matcher that EventBridge runs: the template's rules on every captured event, and random patterns on random events. */
export const eventRulerSuite: ContractSuite = {
  name: 'event-ruler',
  run: async () => {
    const java = await findJava(OLDEST_JAVA)
    const jars = await fetchJars(artifact)
    if (java === undefined || jars === undefined)
      return { skipped: `There is no Java ${OLDEST_JAVA} or newer, or Maven could not bring ${artifact}.` }
    const cases = [...(await rulesOnEvents()), ...randomCases()]
    const answers = await askRuler(java, jars, cases)
    return typeof answers === 'string' ? { skipped: answers } : compare(cases, answers)
  },
}

const compare = (cases: readonly Case[], theirs: readonly string[]): SuiteResult => {
  const different = cases
    .map(([pattern, event], index) => ({
      pattern,
      event,
      theirs: theirs[index],
      ours: ourAnswer(pattern, event),
    }))
    .filter(({ theirs, ours }) => theirs !== ours)
  for (const each of different.slice(0, MOST_SHOWN)) console.error(JSON.stringify(each))
  return { passed: cases.length - different.length, failed: different.length }
}

const ourAnswer = (pattern: unknown, event: unknown): string => {
  try {
    return String(compilePattern(pattern)(event))
  } catch {
    return 'refused'
  }
}

/** Resolves to a sentence when the program cannot be compiled. */
const askRuler = async (
  java: string,
  jars: string,
  cases: readonly Case[],
): Promise<readonly string[] | string> => {
  const folder = await mkdtemp(join(tmpdir(), 'event-ruler-'))
  const run = promisify(execFile)
  try {
    const javac = java === 'java' ? 'javac' : join(dirname(java), 'javac')
    const source = join(import.meta.dirname, 'Matches.java')
    const compiled = await run(javac, ['-cp', join(jars, '*'), '-d', folder, source]).catch(String)
    if (typeof compiled === 'string')
      return `The program that asks event-ruler cannot be compiled: ${compiled}`
    const asked = run(java, ['-cp', `${folder}:${join(jars, '*')}`, 'Matches'], { maxBuffer: 2 ** 26 })
    asked.child.stdin?.end(cases.map(each => `${JSON.stringify(each)}\n`).join(''))
    return (await asked).stdout.trim().split('\n')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const rulesOnEvents = async (): Promise<Case[]> => {
  const rules = Object.values(synthesiseStack().findResources('AWS::Events::Rule'))
  const patterns = rules.map(({ Properties }) => Properties.EventPattern).filter(Boolean)
  // A bucket or a machine has its name only in an account; here both sides have the same one.
  const named: unknown[] = JSON.parse(
    JSON.stringify(patterns).replaceAll(/\{"(Ref|Fn::\w+)":[^{}]*\}/g, '"landing"'),
  )
  const events: unknown[] = []
  for await (const file of glob('events/**/*.json')) events.push(JSON.parse(await readFile(file, 'utf8')))
  return named.flatMap(pattern => events.map((event): Case => [pattern, event]))
}

const field = fc.constantFrom('a', 'b', 'a.b', 'c')
const scalar = fc.constantFrom<unknown>('x', 'xy', 'X', '', 0, 1, 2.5, -3, true, false, null)
const text = fc.constantFrom('x', 'y', 'xy', 'X')
const operator = fc.oneof(
  fc.record({ prefix: text }),
  fc.record({ exists: fc.boolean() }),
  fc.record({ 'anything-but': fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 2 })) }),
)
const tests = fc.array(fc.oneof(scalar, operator), { minLength: 1, maxLength: 3 })
const { pattern } = fc.letrec(tie => ({
  pattern: fc.dictionary(field, fc.oneof({ maxDepth: 2 }, tests, tie('pattern')), {
    minKeys: 1,
    maxKeys: 2,
  }),
}))
const { event } = fc.letrec(tie => ({
  value: fc.oneof({ maxDepth: 3 }, scalar, tie('event'), fc.array(tie('value'), { maxLength: 3 })),
  // No event is empty: event-ruler finds none of the rules for what is not there.
  event: fc.dictionary(field, tie('value'), { minKeys: 1, maxKeys: 3 }),
}))

const randomCases = (): Case[] => fc.sample(fc.tuple(pattern, event), { numRuns: RANDOM_PATTERNS, seed: 1 })
