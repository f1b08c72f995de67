import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import aslValidator from 'asl-validator'
import type { Template } from 'aws-cdk-lib/assertions'
import { AwsSolutionsChecks } from 'cdk-nag'
import { beforeAll, describe, expect, it } from 'vitest'
import { isThorough } from '#support/thorough.ts'
import { acknowledgedByCheckov, acknowledgedFindings } from './acknowledged-findings.ts'
import { deployedShapes } from './deployed-shapes.ts'
import { definitionsOf } from './resources-of.ts'

/*
 * What checkers from outside the project say about the stack in each shape.
 */

const withTemplateFile = <Result>(template: Template, use: (file: string) => Result): Result => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-lint-test-'))
  try {
    const file = join(folder, 'template.json')
    writeFileSync(file, JSON.stringify(template.toJSON()))
    return use(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('cdk-nag', () => {
  const findings = deployedShapes.flatMap(({ name, stack }) =>
    new AwsSolutionsChecks(stack)
      .validateScope(stack)
      .violations.flatMap(({ ruleName, violatingResources }) =>
        violatingResources.map(({ constructPath = '' }) => ({ name, finding: ruleName, at: constructPath })),
      ),
  )

  it('finds nothing in any shape that is not acknowledged with its reason', () => {
    const open = findings.filter(
      ({ finding, at }) =>
        !acknowledgedFindings.some(known => known.finding.test(finding) && known.at.test(at)),
    )
    expect(open).toEqual([])
  })

  it.each(acknowledgedFindings)('$finding at $at is still found', known => {
    expect(findings.some(({ finding, at }) => known.finding.test(finding) && known.at.test(at))).toBe(true)
    expect(known.reason.length).toBeGreaterThan(20)
  })
})

describe('asl-validator', () => {
  const definitions = deployedShapes.flatMap(shape =>
    definitionsOf(shape.template).map(([id, definition]) => ({ id: `${shape.name} ${id}`, definition })),
  )

  it('is asked about the four machines of the whole system', () => {
    expect(definitions.filter(({ id }) => id.startsWith('all '))).toHaveLength(4)
  })

  it.each(definitions)('accepts the machine $id', ({ definition }) => {
    expect(aslValidator(definition)).toMatchObject({ isValid: true, errors: [] })
  })

  it('would refuse a machine with a state that is not there', () => {
    const machine = { StartAt: 'A', States: { A: { Type: 'Pass', Next: 'B' } } }
    expect(aslValidator(machine).isValid).toBe(false)
  })
})

/** A program of Python in the path. Another one by `MILLRACE_TEST_CHECKOV`. */
const checkov = process.env['MILLRACE_TEST_CHECKOV'] || 'checkov'
const hasCheckov = spawnSync(checkov, ['--version']).status === 0
if (!hasCheckov)
  console.warn('checkov is not installed: it does not review the templates (pip install checkov).')

interface CheckovReport {
  results: { failed_checks: { check_id: string; resource: string }[] }
  summary: { passed: number; parsing_errors: number }
}

describe.skipIf(!hasCheckov)('checkov', () => {
  const findings: { name: string; finding: string; at: string }[] = []
  let passed = 0

  beforeAll(() => {
    for (const { name, template } of deployedShapes.filter(({ name }) => ['all', 'staging'].includes(name))) {
      const report = withTemplateFile(template, file => {
        const options = ['--framework', 'cloudformation', '--output', 'json', '--compact', '--quiet']
        const { stdout } = spawnSync(checkov, [...options, '--file', file], {
          encoding: 'utf8',
          maxBuffer: 64 * 1024 ** 2,
        })
        return JSON.parse(stdout) as CheckovReport // The shape of its report.
      })
      expect(report.summary.parsing_errors).toBe(0)
      passed += report.summary.passed
      for (const { check_id: finding, resource: at } of report.results.failed_checks)
        findings.push({ name, finding, at })
    }
  })

  it('finds nothing that is not acknowledged with its reason', () => {
    expect(passed).toBeGreaterThan(500)
    const open = findings.filter(
      ({ finding, at }) =>
        !acknowledgedByCheckov.some(known => known.finding.test(finding) && known.at.test(at)),
    )
    expect(open).toEqual([])
  })

  it.each(acknowledgedByCheckov)('$finding at $at is still found', known => {
    expect(findings.some(({ finding, at }) => known.finding.test(finding) && known.at.test(at))).toBe(true)
    expect(known.reason.length).toBeGreaterThan(20)
  })
})

/** CDK names dependencies that follow from references, too. */
const ignored = ['W3005']

const hasLint = spawnSync('cfn-lint', ['--version']).status === 0
if (!hasLint) console.warn('cfn-lint is not installed: the templates are not linted (pip install cfn-lint).')

/** Linting takes ten seconds a template. The environment has every resource and option; the others are parts of it. */
const linted = deployedShapes.filter(({ name }) => isThorough || name === 'staging')

describe.skipIf(!hasLint)('cfn-lint', () => {
  it.each(linted)('finds no error and no warning in the shape $name', ({ template }) => {
    const options = ['--regions', 'eu-central-1', '--ignore-checks', ...ignored]
    const lint = withTemplateFile(template, file =>
      spawnSync('cfn-lint', [...options, '--', file], { encoding: 'utf8' }),
    )
    expect([lint.stdout, lint.stderr, lint.status]).toEqual(['', '', 0])
  })
})
