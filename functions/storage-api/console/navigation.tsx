import type { Crumb } from './built.ts'
import { Icon } from './parts.tsx'
import { mayConfigure, mayLoad, type Person } from './person.ts'

type Entry = readonly [path: string, name: string, icon: string, isFor?: (person: Person) => boolean]

/** Groups of entries. One that needs a right is shown to tokens that have it. */
const groups: readonly (readonly [string, readonly Entry[]])[] = [
  ['', [['/console', 'Overview', 'home']]],
  [
    'Data',
    [
      ['/console/tables', 'Tables', 'table'],
      ['/console/query', 'Query', 'terminal'],
      ['/console/files', 'Files', 'file'],
    ],
  ],
  [
    'Work',
    [
      ['/console/configurations', 'Configurations', 'plug', mayConfigure],
      ['/console/jobs', 'Jobs and runs', 'activity'],
      [
        '/console/dead-letters',
        'Dead letters',
        'mail-exclamation',
        ({ canManageBuckets }) => canManageBuckets,
      ],
    ],
  ],
  [
    'Installation',
    [
      ['/console/events', 'Events', 'list-details'],
      ['/console/tokens', 'Tokens', 'key', ({ canManageTokens }) => canManageTokens],
    ],
  ],
]

const DROP = ['/console/drop', 'Drop a file', 'upload'] as const

/** Every page of the navigation. */
export const sections = [DROP, ...groups.flatMap(([, entries]) => entries)]

/** The crumb of an entry. */
export const sectionOf = (at: string): Crumb[] =>
  sections.filter(([path]) => path === at).map(([path, name]) => [path, name])

/** On the left; a bar below on a phone. */
export const Navigation = ({ at, person }: { at: string; person: Person }) => (
  <nav class="side" aria-label="Sections">
    <a class="brand" href="/console">
      <Icon name="ripple" /> Millrace
    </a>
    {mayLoad(person) && (
      <a class="btn btn-outline-primary" href={DROP[0]} aria-current={DROP[0] === at ? 'page' : undefined}>
        <Icon name={DROP[2]} /> <span>{DROP[1]}</span>
      </a>
    )}
    {groups.map(([name, entries]) => (
      <div class="group">
        {name !== '' && <p class="subheader">{name}</p>}
        {entries
          .filter(([, , , isFor]) => isFor?.(person) ?? true)
          .map(([path, label, icon]) => (
            <a class="entry" href={path} aria-current={path === at ? 'page' : undefined}>
              <Icon name={icon} /> <span>{label}</span>
            </a>
          ))}
      </div>
    ))}
  </nav>
)

/** The way here; the page itself stands last. */
export const Crumbs = ({ of, title }: { of: readonly Crumb[]; title: string }) => (
  <nav aria-label="The way here" class="crumbs">
    <ol class="breadcrumb">
      {of
        .filter(([, name]) => name !== title)
        .map(([path, name]) => (
          <li class="breadcrumb-item">
            <a href={path}>{name}</a>
          </li>
        ))}
      <li class="breadcrumb-item active" aria-current="page">
        {title}
      </li>
    </ol>
  </nav>
)

export const PersonMenu = ({ person: { description } }: { person: Person }) => (
  <>
    <button type="button" popovertarget="person" aria-label={`Signed in: ${description}`} class="person">
      <Icon name="user" />
    </button>
    <div id="person" popover="auto" class="panel menu">
      <p>
        <strong>{description}</strong>
      </p>
      <p class="hint">
        Times are those of <span data-zone>UTC</span>.
      </p>
      <form method="post" action="/console/sign-out">
        <button type="submit">Sign out</button>
      </form>
    </div>
  </>
)
