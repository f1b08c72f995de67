import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import aslValidator from 'asl-validator'
import { AwsSolutionsChecks } from 'cdk-nag'
import { describe, expect, it } from 'vitest'
import { isThorough } from '#support/thorough.ts'
import { acknowledgedFindings } from './acknowledged-findings.ts'
import { deployedShapes } from './deployed-shapes.ts'
import { resourcesOf } from './resources-of.ts'

/*
 * What checkers from outside the project say about the stack in each shape.
 */

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
      ({ name, finding, at }) =>
        !acknowledgedFindings.some(
          known => known.finding.test(finding) && known.at.test(at) && (known.only ?? name) === name,
        ),
    )
    expect(open).toEqual([])
  })

  it.each(acknowledgedFindings)('$finding at $at is still found', known => {
    expect(
      findings.some(
        ({ name, finding, at }) =>
          known.finding.test(finding) && known.at.test(at) && (known.only ?? name) === name,
      ),
    ).toBe(true)
    expect(known.reason.length).toBeGreaterThan(20)
  })
})

/** The definition of a machine; what is known only in the account is an ARN of a function. */
const definitionsOf = ({ template }: (typeof deployedShapes)[number]): [string, unknown][] =>
  resourcesOf(template, 'AWS::StepFunctions::StateMachine').map(([id, { Properties }]) => {
    // CDK joins the definition from texts and references.
    const { 'Fn::Join': join } = Properties['DefinitionString'] as { 'Fn::Join': [string, unknown[]] }
    const text = join[1].map(part => {
      if (typeof part === 'string') return part
      return JSON.stringify(part).includes('AWS::Partition')
        ? 'aws'
        : 'arn:aws:lambda:eu-west-1:123456789012:function:f'
    })
    return [id, JSON.parse(text.join(''))]
  })

describe('asl-validator', () => {
  const definitions = deployedShapes.flatMap(shape =>
    definitionsOf(shape).map(([id, definition]) => ({ id: `${shape.name} ${id}`, definition })),
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

/** CDK names dependencies that follow from references, too. */
const ignored = ['W3005']

const hasLint = spawnSync('cfn-lint', ['--version']).status === 0
if (!hasLint) console.warn('cfn-lint is not installed: the templates are not linted (pip install cfn-lint).')

/** Linting takes ten seconds a template. The environment has every resource and option; the others are parts of it. */
const linted = deployedShapes.filter(({ name }) => isThorough || name === 'staging')

describe.skipIf(!hasLint)('cfn-lint', () => {
  it.each(linted)('finds no error and no warning in the shape $name', ({ template }) => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-lint-test-'))
    try {
      const file = join(folder, 'template.json')
      writeFileSync(file, JSON.stringify(template.toJSON()))
      const options = ['--regions', 'eu-central-1', '--ignore-checks', ...ignored]
      const lint = spawnSync('cfn-lint', [...options, '--', file], { encoding: 'utf8' })
      expect([lint.stdout, lint.stderr, lint.status]).toEqual(['', '', 0])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
