// The scenarios of the Vault protocol with github.com/hashicorp/vault/api.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"

	vault "github.com/hashicorp/vault/api"
	"github.com/hashicorp/vault/api/auth/approle"
)

var (
	endpoint = flag.String("endpoint", "", "address of the server")
	token    = flag.String("token", "", "root token")
	ctx      = context.Background()
)

type scenario struct {
	area, name string
	body       func() error
}

func open(token string) *vault.Client {
	settings := vault.DefaultConfig()
	settings.Address = *endpoint
	settings.MaxRetries = 0
	client, err := vault.NewClient(settings)
	if err != nil {
		panic(err)
	}
	client.SetToken(token)
	return client
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func equal(found, expected any) {
	if !reflect.DeepEqual(found, expected) {
		panic(fmt.Sprintf("%v is not %v", found, expected))
	}
}

func fails(status int, err error) {
	var response *vault.ResponseError
	if errors.As(err, &response) {
		equal(response.StatusCode, status)
		return
	}
	panic(fmt.Sprintf("no %d but %v", status, err))
}

func main() {
	flag.Parse()
	for _, one := range scenarios(open(*token)) {
		outcome, reason := "passed", ""
		func() {
			defer func() {
				if problem := recover(); problem != nil {
					outcome, reason = "failed", fmt.Sprint(problem)
				}
			}()
			must(one.body())
		}()
		line, _ := json.Marshal(map[string]string{"scenario": one.name, "area": one.area, "outcome": outcome, "reason": reason})
		fmt.Fprintln(os.Stdout, string(line))
	}
}

type data = map[string]any

func scenarios(root *vault.Client) []scenario {
	kv := root.KVv2("secret")
	put := func(path string, value data, options ...vault.KVOption) *vault.KVSecret {
		written, err := kv.Put(ctx, "go/"+path, value, options...)
		must(err)
		return written
	}
	return []scenario{
		{"state", "health and seal status", func() error {
			health, err := root.Sys().Health()
			must(err)
			equal(health.Initialized && !health.Sealed, true)
			status, err := root.Sys().SealStatus()
			must(err)
			equal(status.Sealed, false)
			return nil
		}},
		{"data", "write, read and read a version", func() error {
			put("a", data{"k": "1"})
			put("a", data{"k": "2", "deep": data{"x": []any{"é", nil}}})
			read, err := kv.Get(ctx, "go/a")
			must(err)
			equal(read.Data, data{"k": "2", "deep": data{"x": []any{"é", nil}}})
			equal(read.VersionMetadata.Version, 2)
			read, err = kv.GetVersion(ctx, "go/a", 1)
			must(err)
			equal(read.Data, data{"k": "1"})
			return nil
		}},
		{"data", "a path that is not there", func() error {
			_, err := kv.Get(ctx, "go/nothing")
			equal(errors.Is(err, vault.ErrSecretNotFound), true)
			return nil
		}},
		{"data", "check and set", func() error {
			put("cas", data{"k": "1"}, vault.WithCheckAndSet(0))
			_, err := kv.Put(ctx, "go/cas", data{"k": "2"}, vault.WithCheckAndSet(0))
			fails(400, err)
			put("cas", data{"k": "2"}, vault.WithCheckAndSet(1))
			return nil
		}},
		{"data", "patch", func() error {
			put("patch", data{"a": "1", "b": "2"})
			_, err := kv.Patch(ctx, "go/patch", data{"b": "3"})
			must(err)
			_, err = kv.Patch(ctx, "go/patch", data{"c": "4"}, vault.WithMergeMethod(vault.KVMergeMethodReadWrite))
			must(err)
			read, err := kv.Get(ctx, "go/patch")
			must(err)
			equal(read.Data, data{"a": "1", "b": "3", "c": "4"})
			return nil
		}},
		{"versions", "delete and undelete", func() error {
			put("del", data{"k": "1"})
			put("del", data{"k": "2"})
			must(kv.Delete(ctx, "go/del"))
			read, err := kv.Get(ctx, "go/del")
			must(err)
			equal(read.Data == nil && !read.VersionMetadata.DeletionTime.IsZero(), true)
			must(kv.Undelete(ctx, "go/del", []int{2}))
			must(kv.DeleteVersions(ctx, "go/del", []int{1}))
			versions, err := kv.GetVersionsAsList(ctx, "go/del")
			must(err)
			equal(len(versions), 2)
			equal(versions[1].DeletionTime.IsZero(), true)
			return nil
		}},
		{"versions", "destroy", func() error {
			put("destroy", data{"k": "1"})
			must(kv.Destroy(ctx, "go/destroy", []int{1}))
			must(kv.Undelete(ctx, "go/destroy", []int{1}))
			read, err := kv.Get(ctx, "go/destroy")
			must(err)
			equal(read.Data == nil && read.VersionMetadata.Destroyed, true)
			return nil
		}},
		{"versions", "roll back to a version", func() error {
			put("back", data{"k": "1"})
			put("back", data{"k": "2"})
			_, err := kv.Rollback(ctx, "go/back", 1)
			must(err)
			read, err := kv.Get(ctx, "go/back")
			must(err)
			equal(read.Data, data{"k": "1"})
			equal(read.VersionMetadata.Version, 3)
			return nil
		}},
		{"metadata", "read, update and delete", func() error {
			must(kv.PutMetadata(ctx, "go/meta", vault.KVMetadataPutInput{MaxVersions: 2, CustomMetadata: data{"team": "shop"}}))
			for range 4 {
				put("meta", data{"k": "v"})
			}
			must(kv.PatchMetadata(ctx, "go/meta", vault.KVMetadataPatchInput{CustomMetadata: data{"more": "1"}}))
			read, err := kv.GetMetadata(ctx, "go/meta")
			must(err)
			equal(len(read.Versions), 2)
			equal(read.CurrentVersion, 4)
			equal(read.CustomMetadata, data{"team": "shop", "more": "1"})
			must(kv.DeleteMetadata(ctx, "go/meta"))
			_, err = kv.GetMetadata(ctx, "go/meta")
			equal(errors.Is(err, vault.ErrSecretNotFound), true)
			return nil
		}},
		{"metadata", "list", func() error {
			put("list/a", data{})
			put("list/b/c", data{})
			listed, err := root.Logical().List("secret/metadata/go/list")
			must(err)
			equal(listed.Data["keys"], []any{"a", "b/"})
			listed, err = root.Logical().List("secret/metadata/go/none")
			must(err)
			equal(listed == nil, true)
			return nil
		}},
		{"metadata", "subkeys", func() error {
			put("sub", data{"a": "x", "b": data{"c": "y"}})
			read, err := root.Logical().Read("secret/subkeys/go/sub")
			must(err)
			equal(read.Data["subkeys"], data{"a": nil, "b": data{"c": nil}})
			return nil
		}},
		{"mounts", "another mount with its settings", func() error {
			must(root.Sys().Mount("go-kv", &vault.MountInput{Type: "kv", Options: map[string]string{"version": "2"}}))
			mounts, err := root.Sys().ListMounts()
			must(err)
			equal(mounts["go-kv/"].Type, "kv")
			_, err = root.Logical().Write("go-kv/config", data{"cas_required": true})
			must(err)
			_, err = root.KVv2("go-kv").Put(ctx, "a", data{"k": "1"})
			fails(400, err)
			return nil
		}},
		{"access", "a policy decides by path", func() error {
			must(root.Sys().PutPolicy("go", `path "secret/data/go/open/*" { capabilities = ["create", "read"] }`))
			policy, err := root.Sys().GetPolicy("go")
			must(err)
			equal(policy != "", true)
			granted, err := root.Auth().Token().Create(&vault.TokenCreateRequest{Policies: []string{"go"}, TTL: "1h"})
			must(err)
			other := open(granted.Auth.ClientToken).KVv2("secret")
			_, err = other.Put(ctx, "go/open/a", data{"k": "1"})
			must(err)
			_, err = other.Get(ctx, "go/open/a")
			must(err)
			_, err = other.Put(ctx, "go/open/a", data{"k": "2"})
			fails(403, err)
			_, err = other.Get(ctx, "go/a")
			fails(403, err)
			return nil
		}},
		{"access", "an AppRole logs in, renews and revokes its token", func() error {
			must(root.Sys().PutPolicy("go-role", `path "secret/data/go/*" { capabilities = ["read"] }`))
			_, err := root.Logical().Write("auth/approle/role/go", data{"token_policies": []string{"go-role"}, "token_ttl": "10m"})
			must(err)
			role, err := root.Logical().Read("auth/approle/role/go/role-id")
			must(err)
			secret, err := root.Logical().Write("auth/approle/role/go/secret-id", nil)
			must(err)
			method, err := approle.NewAppRoleAuth(role.Data["role_id"].(string), &approle.SecretID{FromString: secret.Data["secret_id"].(string)})
			must(err)
			client := open("")
			_, err = client.Auth().Login(ctx, method)
			must(err)
			_, err = client.KVv2("secret").Get(ctx, "go/a")
			must(err)
			renewed, err := client.Auth().Token().RenewSelf(0)
			must(err)
			equal(renewed.Auth.LeaseDuration, 600)
			must(client.Auth().Token().RevokeSelf(""))
			_, err = client.KVv2("secret").Get(ctx, "go/a")
			fails(403, err)
			return nil
		}},
		{"access", "no token, a wrong token", func() error {
			for _, wrong := range []string{"", "wrong"} {
				_, err := open(wrong).KVv2("secret").Get(ctx, "go/a")
				fails(403, err)
			}
			return nil
		}},
	}
}
