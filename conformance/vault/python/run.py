"""The scenarios of the Vault protocol with hvac."""

import argparse
import json

import hvac
from hvac.exceptions import Forbidden, InvalidPath, InvalidRequest

parser = argparse.ArgumentParser()
parser.add_argument("--endpoint", required=True)
parser.add_argument("--token", required=True)
arguments = parser.parse_args()
root = hvac.Client(url=arguments.endpoint, token=arguments.token)
kv = root.secrets.kv.v2
SCENARIOS = []


def scenario(area, name):
    def add(body):
        SCENARIOS.append((area, name, body))
        return body

    return add


def fails(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


@scenario("state", "health and seal status")
def _():
    assert root.sys.is_initialized() and not root.sys.is_sealed()
    assert root.is_authenticated()
    assert root.sys.read_health_status(method="GET")["initialized"]


@scenario("data", "write, read and read a version")
def _():
    kv.create_or_update_secret("py/a", {"k": "1"})
    kv.create_or_update_secret("py/a", {"k": "2", "deep": {"x": [1, None, "é"]}})
    read = kv.read_secret_version("py/a", raise_on_deleted_version=True)
    assert read["data"]["data"] == {"k": "2", "deep": {"x": [1, None, "é"]}}
    assert read["data"]["metadata"]["version"] == 2
    first = kv.read_secret_version("py/a", version=1, raise_on_deleted_version=True)
    assert first["data"]["data"] == {"k": "1"}


@scenario("data", "a path that is not there")
def _():
    fails(InvalidPath, lambda: kv.read_secret_version("py/nothing", raise_on_deleted_version=True))


@scenario("data", "check and set")
def _():
    kv.create_or_update_secret("py/cas", {"k": 1}, cas=0)
    fails(InvalidRequest, lambda: kv.create_or_update_secret("py/cas", {"k": 2}, cas=0))
    kv.create_or_update_secret("py/cas", {"k": 2}, cas=1)


@scenario("data", "patch")
def _():
    kv.create_or_update_secret("py/patch", {"a": "1", "b": "2"})
    kv.patch("py/patch", {"b": "3"})
    read = kv.read_secret_version("py/patch", raise_on_deleted_version=True)
    assert read["data"]["data"] == {"a": "1", "b": "3"}


@scenario("versions", "delete and undelete")
def _():
    kv.create_or_update_secret("py/del", {"k": 1})
    kv.create_or_update_secret("py/del", {"k": 2})
    kv.delete_latest_version_of_secret("py/del")
    fails(InvalidPath, lambda: kv.read_secret_version("py/del", raise_on_deleted_version=True))
    deleted = kv.read_secret_version("py/del", raise_on_deleted_version=False)
    assert deleted["data"]["metadata"]["deletion_time"]
    kv.undelete_secret_versions("py/del", [2])
    kv.delete_secret_versions("py/del", [1])
    assert kv.read_secret_version("py/del", raise_on_deleted_version=True)["data"]["data"] == {"k": 2}


@scenario("versions", "destroy")
def _():
    kv.create_or_update_secret("py/destroy", {"k": 1})
    kv.destroy_secret_versions("py/destroy", [1])
    kv.undelete_secret_versions("py/destroy", [1])
    fails(InvalidPath, lambda: kv.read_secret_version("py/destroy", raise_on_deleted_version=True))


@scenario("metadata", "read, update and delete")
def _():
    kv.update_metadata("py/meta", max_versions=2, delete_version_after="1h", custom_metadata={"team": "shop"})
    for number in range(4):
        kv.create_or_update_secret("py/meta", {"k": number})
    read = kv.read_secret_metadata("py/meta")["data"]
    assert sorted(read["versions"]) == ["3", "4"] and read["current_version"] == 4
    assert read["custom_metadata"] == {"team": "shop"}
    kv.delete_metadata_and_all_versions("py/meta")
    fails(InvalidPath, lambda: kv.read_secret_metadata("py/meta"))


@scenario("metadata", "list")
def _():
    kv.create_or_update_secret("py/list/a", {})
    kv.create_or_update_secret("py/list/b/c", {})
    assert kv.list_secrets("py/list")["data"]["keys"] == ["a", "b/"]
    fails(InvalidPath, lambda: kv.list_secrets("py/none"))


@scenario("metadata", "subkeys")
def _():
    kv.create_or_update_secret("py/sub", {"a": "x", "b": {"c": "y"}})
    if hasattr(kv, "read_secret_subkeys"):
        read = kv.read_secret_subkeys("py/sub")
    else:
        read = root.adapter.get("/v1/secret/subkeys/py/sub")
    assert read["data"]["subkeys"] == {"a": None, "b": {"c": None}}


@scenario("mounts", "another mount with its settings")
def _():
    root.sys.enable_secrets_engine("kv", path="py-kv", options={"version": "2"})
    assert "py-kv/" in root.sys.list_mounted_secrets_engines()["data"]
    kv.configure(max_versions=5, cas_required=True, mount_point="py-kv")
    settings = kv.read_configuration(mount_point="py-kv")["data"]
    assert settings["max_versions"] == 5 and settings["cas_required"]
    fails(InvalidRequest, lambda: kv.create_or_update_secret("a", {"k": 1}, mount_point="py-kv"))
    kv.create_or_update_secret("a", {"k": 1}, cas=0, mount_point="py-kv")


@scenario("access", "a policy decides by path")
def _():
    policy = 'path "secret/data/py/open/*" { capabilities = ["create", "read"] }'
    root.sys.create_or_update_policy("py", policy)
    assert "py" in root.sys.list_policies()["data"]["policies"]
    assert "py/open" in root.sys.read_policy("py")["data"]["rules"]
    token = root.auth.token.create(policies=["py"], ttl="1h")["auth"]["client_token"]
    other = hvac.Client(url=arguments.endpoint, token=token)
    other.secrets.kv.v2.create_or_update_secret("py/open/a", {"k": 1})
    other.secrets.kv.v2.read_secret_version("py/open/a", raise_on_deleted_version=True)
    fails(Forbidden, lambda: other.secrets.kv.v2.create_or_update_secret("py/open/a", {"k": 2}))
    fails(Forbidden, lambda: other.secrets.kv.v2.read_secret_version("py/a", raise_on_deleted_version=True))


@scenario("access", "an AppRole logs in, renews and revokes its token")
def _():
    root.sys.create_or_update_policy("py-role", 'path "secret/data/py/*" { capabilities = ["read"] }')
    root.auth.approle.create_or_update_approle("py", token_policies=["py-role"], token_ttl="10m")
    role_id = root.auth.approle.read_role_id("py")["data"]["role_id"]
    secret_id = root.auth.approle.generate_secret_id("py")["data"]["secret_id"]
    client = hvac.Client(url=arguments.endpoint)
    client.auth.approle.login(role_id, secret_id)
    assert client.is_authenticated()
    client.secrets.kv.v2.read_secret_version("py/a", raise_on_deleted_version=True)
    assert client.auth.token.renew_self()["auth"]["lease_duration"] == 600
    assert "py-role" in client.auth.token.lookup_self()["data"]["policies"]
    client.auth.token.revoke_self()
    fails(Forbidden, lambda: client.secrets.kv.v2.read_secret_version("py/a", raise_on_deleted_version=True))
    fails(InvalidRequest, lambda: hvac.Client(url=arguments.endpoint).auth.approle.login(role_id, "wrong"))


@scenario("access", "no token, a wrong token")
def _():
    for token in ["", "wrong"]:
        client = hvac.Client(url=arguments.endpoint, token=token)
        fails(Forbidden, lambda: client.secrets.kv.v2.read_secret_version("py/a", raise_on_deleted_version=True))


for area, name, body in SCENARIOS:
    result = {"scenario": name, "area": area, "outcome": "passed", "reason": ""}
    try:
        body()
    except Exception as error:  # noqa: BLE001
        result.update(outcome="failed", reason=f"{type(error).__name__}: {error}")
    print(json.dumps(result))
