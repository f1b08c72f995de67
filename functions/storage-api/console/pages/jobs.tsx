import * as z from 'zod/mini'
import { type EventBody, eventBody } from '#lib/wire/event-body.ts'
import { fileBody } from '#lib/wire/file-body.ts'
import { type JobBody, jobBody } from '#lib/wire/job-body.ts'
import { tableOfJob, warningsOfJob } from '#lib/wire/job-results.ts'
import { runBody } from '#lib/wire/run-body.ts'
import { type ApiClient, orNothing, path, query } from '../api-client.ts'
import { configurationNames } from '../configuration-names.ts'
import { bytes, duration, readable } from '../format.ts'
import { Act } from '../forms.tsx'
import { jobPath, jobTitle, runPath, TableLink } from '../links.tsx'
import { Empty, Facts, Problem, Status, Tabs, Time } from '../parts.tsx'
import { type Built, form, page } from '../route.ts'
import { outcomeOf, WorkList, workOf } from '../work-list.tsx'
import { EventList } from './events.tsx'

const SHOWN = 50

/** What a list shows: by name, of the newest. */
const choices: Readonly<Record<string, { name: string; statuses?: readonly string[] }>> = {
  all: { name: 'All' },
  running: { name: 'Running', statuses: ['waiting', 'processing'] },
  failed: { name: 'Failed', statuses: ['error'] },
}

const isOver = ({ status }: JobBody): boolean => status === 'success' || status === 'error'

/** The name of the file that a job loads; undefined when there is none, or it is gone. */
const fileOf = async (client: ApiClient, { operationParams }: JobBody): Promise<string | undefined> => {
  const { data } = z.safeParse(z.union([z.number(), z.string()]), operationParams['dataFileId'])
  return data === undefined ? undefined : (await orNothing(client.get(path`files/${data}`, fileBody)))?.name
}

export const jobPages = [
  page('/console/jobs', async ({ client, query: { show = '' } }) => {
    const [jobs, runs] = await Promise.all([
      client.list(`jobs${query({ limit: SHOWN })}`, jobBody),
      client.list(`runs${query({ limit: SHOWN })}`, runBody),
    ])
    const all = workOf(jobs, runs, await configurationNames(client, runs))
    const of = (choice: string) =>
      all.filter(({ status }) => choices[choice]?.statuses?.includes(status) ?? true)
    const chosen = Object.hasOwn(choices, show) ? show : 'all'
    const pathTo = (choice: string) => (choice === 'all' ? '/console/jobs' : `/console/jobs?show=${choice}`)
    return {
      title: 'Jobs and runs',
      live: 3,
      body: (
        <>
          <Tabs
            label="Which of the newest"
            of={Object.entries(choices).map(([choice, { name }]) => [pathTo(choice), name])}
            at={pathTo(chosen)}
          />
          <WorkList
            of={of(chosen)}
            empty={
              <Empty
                icon="activity"
                action={<a href="/console/drop">Drop a file, and its import is listed here</a>}
              >
                {chosen === 'all' ? 'Nothing yet.' : `None of the newest is ${chosen}.`}
              </Empty>
            }
          />
        </>
      ),
    }
  }),
  page('/console/jobs/:id', async ({ client, params: { id } }) => {
    const job = await client.get(path`jobs/${id}`, jobBody)
    if (job.operationName === 'configurationRun') return { redirect: runPath(`run-${job.id}`) }
    const of = job.runId === null ? { q: `params.jobId:${job.id}` } : { runId: job.runId }
    const events = await client.list(`events${query({ limit: SHOWN, ...of })}`, eventBody)
    return jobPage(client, job, events)
  }),
  ...(['jobs', 'runs'] as const).map(kind =>
    form(`/console/${kind}/:id/cancel`, async ({ client, params: { id } }) => {
      await client.send('POST', path`${kind}/${id}/cancel`)
      const text = 'It stops at the next page or slice; nothing is half loaded.'
      return { redirect: path`/console/${kind}/${id}`, said: { text } }
    }),
  ),
]

const jobPage = async (client: ApiClient, job: JobBody, events: readonly EventBody[]): Promise<Built> => ({
  title: jobTitle(job, await fileOf(client, job)),
  live: isOver(job) ? undefined : 1,
  body: <JobDetail job={job} events={events} />,
})

/** Of work that is under way. Its page is looked at again: the id keeps the focus of the keyboard. */
export const CancelButton = ({ of }: { of: string }) => (
  <Act to={`${of}/cancel`} verb="Cancel" look="btn-outline-danger" id="cancel" form="actions" />
)

const JobDetail = ({ job, events }: { job: JobBody; events: readonly EventBody[] }) => {
  const { runId } = job
  return (
    <div aria-live="polite">
      {job.error !== undefined && <Problem code={job.error.code}>{job.error.message}</Problem>}
      <Facts
        of={[
          ['Status', <Status value={job.status} />],
          ['Asked for', <Time at={job.createdTime} />],
          ['Waited', duration(job.createdTime, job.startTime) || '–'],
          ['Took', duration(job.startTime, job.endTime ?? new Date().toISOString()) || '–'],
          ['Table', <TableLink id={tableOfJob(job)} />],
          ['Read', bytes(job.metrics.inBytes)],
          ['What became of it', outcomeOf(job)],
          ['Asked for by', job.creatorToken.description],
          [
            'Run',
            // The name of the run that it was part of may be a client's.
            runId && /^run-\d+$/.test(runId) ? (
              <a href={runPath(runId)}>that it was part of</a>
            ) : (
              runId || '–'
            ),
          ],
        ]}
      />
      {[...(job.warnings ?? []), ...warningsOfJob(job)].map(warning => (
        <p class="hint">{warning}</p>
      ))}
      {!isOver(job) && <CancelButton of={jobPath(job.id)} />}
      <h2>Events</h2>
      <EventList events={events} />
      <details>
        <summary>What was asked, and the whole result</summary>
        <pre>{readable({ parameters: job.operationParams, results: job.results })}</pre>
      </details>
    </div>
  )
}
