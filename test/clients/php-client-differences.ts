import type { Differences } from '../contracts/run-tests.ts'

const workspaces =
  'There are no workspaces that hold tables of their own: 501 says what to do instead (docs/api-coverage.md).'
const roles =
  'It wants tokens of the roles guest, share and read only: there are the master token and those that it made.'
const mail = 'A token is not sent by mail: its value is not stored.'
const itself = 'It counts what its own helpers print or ask, which differs by versions of PHPUnit.'
const snowflakeWords = 'It compares the advice of Snowflake’s COPY, which has no file of ours to name.'
const worksHere = 'It expects 501 or a limit where this service answers.'

/** Tests of what is not here, and each one that fails although it is about what is here. */
export const phpOutOfScope: Differences = {
  'Backend\\CommonPart1\\DeleteRowsTest::testDeleteByValuesInWorkspaceWithInvalidData': workspaces,
  'Backend\\CommonPart1\\DeleteRowsTest::testDeleteByValuesInWorkspaceWithValidData': workspaces,
  'Backend\\Snowflake\\ImportTreatValuesAsNullTest': workspaces,
  'Backend\\Snowflake\\ImportTypedTableTest::testImportDeduplication': workspaces,
  'Backend\\Snowflake\\TableDefinitionOperationsTest::testDataPreviewExoticTypes': workspaces,
  'Backend\\Snowflake\\TimestampTest': workspaces,
  'Common\\QueueJobsTest::testQueueCreateTableFromWorkspace': workspaces,
  'Common\\QueueJobsTest::testQueueTableImportFromWorkspace': workspaces,
  'Backend\\CommonPart1\\TimeTravelTest::testTableCreationInLinkedBucket':
    'Buckets are not shared between projects: a stack holds one.',
  'Common\\BranchMetadataTest::testDeleteMetadataRestrictionForReadOnlyUser': roles,
  'Common\\BranchMetadataTest::testManipulateMetadataRestrictionForReadOnlyUser': roles,
  'Common\\ComponentsTest::testComponentConfigRestrictionsForReadOnlyUser': roles,
  'Common\\ConfigurationMetadataTest::testConfigMetadataRestrictionsForReadOnlyUser': roles,
  'Common\\DevBranchesTest::testGuestRoleBranchesPermissions': roles,
  'Common\\DevBranchesTest::testReadOnlyRoleBranchesPermissions': roles,
  'Common\\TokensTest::testGuestRoleTokenSettings': roles,
  'Common\\TokensTest::testGuestTokenCreateLimitedToken': roles,
  'Common\\TokensTest::testGuestUserSuppliesInvalidOptions': roles,
  'Common\\TokensTest::testReadOnlyRoleBucketsPermissions': roles,
  'Common\\TokensTest::testReadOnlyRoleTokenSettings': roles,
  'Common\\TokensTest::testReadOnlyTokenCannotRefreshOtherTokens': roles,
  'Common\\TokensTest::testReadOnlyUserCannotCreateLimitedToken': roles,
  'Common\\TokensTest::testShareRoleTokenSettings': roles,
  'Common\\TokensTest::testTokenProperties': roles,
  'Common\\TriggersTest::testTriggersRestrictionsForReadOnlyUser': roles,
  'File\\CommonFilePermissionsTest::testReadOnlyRoleFilesPermissions': roles,
  'Common\\TokensShareTest::testTokenShare': mail,
  'Common\\TokensTest::testDeprecatedMethods': mail,
  'Utils\\EventTesterUtilsTest::testCreateAndWaitForEventNoEvent': itself,
  'Utils\\EventTesterUtilsTest::testWillFailWhenRetriesAreSpent': itself,

  // In scope, and not as it expects.
  'Backend\\CommonPart1\\ImportExportCommonTest::testImportFileWithTimestampColumn':
    'The time of a load is that of the load: `useTimestampFromDataFile` is refused.',
  'Backend\\Snowflake\\ImportTypedTableTest::testImportExoticDatatypes': 'There is no type VARBINARY.',
  'Backend\\Snowflake\\ImportTypedTableTest::testLoadTypedTablesLengthOverflowError': snowflakeWords,
  'Backend\\Snowflake\\TableDefinitionOperationsTest::testDataPreviewForTableDefinitionWithDecimalType':
    snowflakeWords,
  'Backend\\Snowflake\\TableDefinitionOperationsTest::testDataPreviewForTableDefinitionWithFilters':
    'A time with a zone is shown in UTC, not in the zone of a session.',
  'Backend\\Snowflake\\ProfileTableTest::testCreateTableProfile':
    'There are no profiles: POST /v2/storage/query answers SUMMARIZE SELECT ….',
  'Backend\\Snowflake\\TableExportTest::testSyncExportShouldReturnErrorForLargeNumberOfCols': worksHere,
  'Common\\SearchComponentsConfigurationsTest::testSearchThrowsErrorWhenIsCalledWithoutBranch': worksHere,
  'Common\\SearchTablesTest::testSearchThrowsErrorWhenIsCalledWithBranch': worksHere,
  'Common\\BranchComponentTest::testManipulationWithComponentConfigurations':
    'It stores a list as a configuration: here one is an object.',
  'Common\\BranchEventsTest::testFilterBranchTokenEventsIsNotInDefaultBranch':
    'A token that manages all buckets reads the events of others, too (docs/reference/storage-api.md#events).',
  'Common\\MetadataTest::testMetadata40xs': 'It compares the name of an exception of the hosted service.',
  'Common\\QueueJobsTest::testQueueCreateTableFromFile':
    'A table for a bucket that is not there is refused at once, not by a job.',
  'Backend\\Snowflake\\WhereFilterTest::testExportTableOnTypedTableWithWhereFilters':
    'A time has its milliseconds in exports too, as its other tests have it in previews.',
  'Common\\TableEventsTest::testTableEvents': 'The beginning of a job is in the job, and is no event.',
}

export const phpByTime: Differences = {
  'Backend\\CommonPart1\\BranchStorageTest::testCreateBranchResponse':
    'It expects a job that waits: a reply tells of a job after up to a second, and it may have ended.',
  'Common\\JobPollDelayTest::testAlternateJobPollDelay': 'It expects a job that is not done at once.',
}
