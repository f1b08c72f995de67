import { describe, expect, it } from 'vitest'
import { jobRecord } from '#functions/lib/storage/jobs/job-record.ts'
import { runInput } from '#functions/run-extractor/event.ts'
import type { Route } from '#functions/storage-api/http/route.ts'
import { routes } from '#functions/storage-api/routes/routes.ts'
import { functionNames } from '#infra/system.ts'
import {
  atOnce,
  ending,
  functionRights,
  jobRoutes,
  parts,
  runInputKeys,
  startingRoutes,
  starts,
  telling,
} from './catalogue.ts'

const nameOf = ({ method, definition }: Route): string =>
  `${method} ${definition.path.replace(/^\/v2\/storage\/(?=[a-z])/, '').replace('/v2/storage', '')}`

const changing = routes.filter(route => route.method !== 'get')
const namesOf = (table: object): string[] => Object.keys(table).sort()

describe('the catalogue of what is stored and runs later', () => {
  it('has every route that changes something, and no other', () => {
    const listed = [
      ...atOnce,
      ...ending,
      ...namesOf(parts),
      ...namesOf(startingRoutes),
      ...namesOf(jobRoutes),
    ]
    expect([...new Set(listed)].sort()).toEqual(changing.map(nameOf).sort())
  })

  it('has no route among those that work at once that says it may be done later', () => {
    const later = changing.filter(({ definition }) => '202' in definition.replies).map(nameOf)
    expect(later.filter(name => !ending.includes(name)).sort()).toEqual(namesOf(jobRoutes))
    for (const name of atOnce)
      expect([...later, ...namesOf(parts), ...namesOf(startingRoutes)]).not.toContain(name)
  })

  it('has every operation of a job', () => {
    const inputs = jobRecord.options[0].shape.input.options
    const operations = inputs.map(({ shape }) => shape.operationName.value)
    expect([...new Set(Object.values(jobRoutes))].sort()).toEqual(operations.sort())
  })

  it('has every key with which a run can be started, and every function', () => {
    expect(namesOf(runInputKeys)).toEqual(namesOf(runInput.shape))
    expect(namesOf(functionRights)).toEqual([...functionNames].sort())
    const ways = new Set([...Object.values(startingRoutes), ...Object.values(functionRights).flat()])
    for (const start of starts) if (start !== 'operator') expect(ways).toContain(start)
  })

  it('has nothing that changes a job or a run once it is stored, but what ends it or says how far it is', () => {
    const changes = changing
      .map(nameOf)
      .filter(name => / (jobs|runs)\b/.test(name) && ![...ending, ...telling].includes(name))
    expect(changes).toEqual([])
  })
})
