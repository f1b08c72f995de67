import type { Differences } from '../run-tests.ts'

/** What the embedded S3 has not: 501 with its name, or, in a bucket whose owner is enforced, what S3 says to an ACL. */
export const refusedByName =
  /NotImplemented|\b501\b|InvalidBucketAclWithObjectOwnership|AccessControlListNotSupported/

const acl =
  'S3 User Guide, "Controlling ownership of objects": new buckets take no ACLs, and a request that names one is 400.'
const accounts = 'There is one account.'
const sums =
  'S3 API Reference, "PutObject": a value that is no checksum of its kind is InvalidRequest, before any comparison.'
const directory = 'S3 API Reference, "ObjectIdentifier": size and time are for directory buckets only.'
const missing =
  'S3 User Guide, "Conditional deletes": a key that is not there is NoSuchKey. `npm run smoke` asks an account.'
const parts = 'S3 API Reference, "Error responses": InvalidPartNumber is 416.'
const version2 = 'S3 User Guide, "Signature Version 2": regions since 2014 refuse it.'

const each = (tests: string, why: string): Differences =>
  Object.fromEntries(tests.split(/\s+/).map(name => [`test_${name}`, why]))

/** Of the tests that fail for another reason, the documentation's word for our side. */
export const differences: Differences = {
  ...each(
    `bucket_concurrent_set_canned_acl bucket_recreate_new_acl object_presigned_put_object_with_acl object_presigned_put_object_with_acl_tenant
    post_object_authenticated_request post_object_case_insensitive_condition_fields post_object_escaped_field_values post_object_ignored_header
    post_object_set_key_from_filename post_object_tags_authenticated_request post_object_upload_larger_than_chunk
    post_object_upload_size_rgw_chunk_size_bug post_object_user_specified_header create_bucket_no_ownership_controls`,
    acl,
  ),
  ...each(
    'bucket_create_exists_nonowner bucket_policy_multipart list_buckets_anonymous object_copy_not_owned_bucket',
    accounts,
  ),
  ...each('object_checksum_crc64nvme object_checksum_sha256 multipart_checksum_sha256', sums),
  ...each(
    `delete_objects_current_if_match_last_modified_time delete_objects_current_if_match_size delete_objects_if_match_last_modified_time
    delete_objects_if_match_size delete_objects_version_if_match_last_modified_time delete_objects_version_if_match_size`,
    directory,
  ),
  ...each(
    'delete_object_current_if_match delete_object_if_match delete_object_version_if_match delete_objects_current_if_match',
    missing,
  ),
  ...each('multipart_get_part multipart_single_get_part non_multipart_get_part', parts),
  ...each(
    `cors_presigned_get_object_tenant_v2 cors_presigned_get_object_v2 cors_presigned_put_object_tenant_v2
    cors_presigned_put_object_v2`,
    version2,
  ),
  ...each(
    'bucket_create_naming_dns_dash_dot bucket_create_naming_dns_dot_dash',
    'S3 User Guide, "General purpose bucket naming rules": no rule about dashes beside periods.',
  ),
  test_bucket_list_prefix_unreadable:
    'S3 API Reference, "ListObjects": with encoding-type=url the prefix is encoded. boto3 decodes it in version 2 only.',
  test_bucket_listv2_continuationtoken_empty:
    'S3 API Reference, "ListObjectsV2": an empty token is none that S3 gave.',
  test_delete_marker_nonversioned:
    'S3 API Reference, "HeadObject": x-amz-delete-marker does not appear when it is false.',
  test_get_multipart_checksum_object_attributes:
    'S3 User Guide, "Checking object integrity": a composite checksum is completed with those of the parts.',
  test_multipart_copy_invalid_range:
    'S3 API Reference, "UploadPartCopy": a range that is not valid for the source is InvalidArgument.',
  test_multipart_resend_first_finishes_last:
    'S3 API Reference, "CompleteMultipartUpload": a part that is listed twice is InvalidPartOrder.',
  test_object_raw_put_authenticated_expired:
    'S3 API Reference, "Authenticating requests: using query parameters": X-Amz-Expires below 0 is 400.',
  test_object_read_unreadable: 'The key is UTF-8, so S3 API Reference, "GetObject": NoSuchKey.',
  test_object_set_get_unicode_metadata:
    'S3 User Guide, "Working with object metadata": only US-ASCII is kept as it is.',
  test_object_write_with_chunked_transfer_encoding:
    'S3 API Reference, "Common request headers": Content-Length is required, 411 without it.',
  test_post_object_upload_checksum:
    'S3 API Reference, "POST policy": each field of a form must be among its conditions, 403 otherwise.',
}
