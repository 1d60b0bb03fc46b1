(** Witnesses: sizes that satisfy all that a certificate assumes of sizes, so that it says
    something.

    [size_at]       the value that a witness, a list of sizes, gives to a size variable
    [size_binary]   a size's value, in binary: a witness of 2^40 costs no more than one of 4
    [witness_ok]    the witness has a value for each size, the facts hold there, and every limit is
                    below 2^63
    [Satisfiable]   what that gives
    [limits_among]  each limit of the kernel follows from a listed one, or is a small number: then
                    the listed ones are all that has to stay below 2^63 *)

From Coq Require Import ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size lib.SizeCheck imp.Int64 imp.Int64Limits.
From Vouch Require Import certify.Kernel certify.Print certify.Certificate.

Section BINARY.
  Context (w : list N).

  Definition size_at (v : nat) : N := nth v w 0%N.

  Definition part_binary (p : part) (x : N) : N :=
    match p with
    | Quot d => x / Npos d
    | Rem d => x mod Npos d
    | Digit d c => (x / Npos d) mod Npos c
    | Started d => (x mod Npos d + (Npos d - 1)) / Npos d
    end%N.

  Fixpoint size_binary (s : size) : N :=
    match s with
    | SVar v => size_at v
    | SConst c => c
    | SAdd a b => size_binary a + size_binary b
    | SMul a b => size_binary a * size_binary b
    | SPart p v => part_binary p (size_at v)
    end%N.

  Lemma part_binary_val p x : part_val p (N.to_nat x) = N.to_nat (part_binary p x).
  Proof.
    destruct p as [d|d|d c|d]; cbn [part_val part_binary];
      rewrite ?N2Nat.inj_mod, ?N2Nat.inj_div, ?N2Nat.inj_add, ?N2Nat.inj_mod, ?N2Nat.inj_sub, ?N2Nat.inj_div,
        ?positive_N_nat by discriminate; reflexivity.
  Qed.

  Lemma size_binary_val s : size_val (fun v => N.to_nat (size_at v)) s = N.to_nat (size_binary s).
  Proof.
    induction s as [v | c | a IHa b IHb | a IHa b IHb | p v]; cbn [size_val size_binary].
    - reflexivity.
    - reflexivity.
    - rewrite IHa, IHb, N2Nat.inj_add. reflexivity.
    - rewrite IHa, IHb, N2Nat.inj_mul. reflexivity.
    - apply part_binary_val.
  Qed.
End BINARY.

Definition witness_ok (k : source) (w : list N) : bool :=
  Nat.eqb (List.length w) (List.length (size_names (kernel_names k))) &&
  forallb (fun f => size_binary w (fst f) <=? size_binary w (snd f))%N (kernel_facts k) &&
  forallb (fun l => size_binary w l <? 2 ^ 63)%N (limits k).

Definition Satisfiable (k : source) : Prop :=
  exists sg, facts_hold sg (kernel_facts k) /\ Forall (fits sg) (limits k).

Theorem witness_sound k w : witness_ok k w = true -> Satisfiable k.
Proof.
  unfold witness_ok. intros checked.
  apply andb_true_iff in checked as [checked small].
  apply andb_true_iff in checked as [_ facts].
  rewrite forallb_forall in facts. rewrite forallb_forall in small.
  exists (fun v => N.to_nat (size_at w v)). split.
  - intros a b listed. rewrite !size_binary_val.
    specialize (facts (a, b) listed). cbn [fst snd] in facts.
    apply N.leb_le in facts. lia.
  - apply Forall_forall. intros l listed. unfold fits, max_int64.
    specialize (small l listed). apply N.ltb_lt in small.
    rewrite size_binary_val, N_nat_Z. lia.
Qed.

Definition small_number : size := SConst (2 ^ 63 - 1).

(** No disjunction of booleans: the virtual machine would compute both sides. *)
Fixpoint follows (facts : list fact) (l : size) (listed : list size) : bool :=
  match listed with
  | nil => false
  | m :: rest => if size_leb facts l m then true else follows facts l rest
  end.

Definition limits_among (k : source) (listed : list size) : bool :=
  forallb (fun l => follows (kernel_facts k) l (small_number :: listed)) (limits k).

Lemma follows_sound sg facts l listed :
  facts_hold sg facts -> Forall (fits sg) listed -> follows facts l listed = true -> fits sg l.
Proof.
  intros FACTS. induction listed as [|m rest IHrest]; intros small found; [discriminate|].
  inversion small as [|m' rest' m_fits rest_fits]. cbn [follows] in found.
  destruct (size_leb facts l m) eqn:below.
  - pose proof (size_leb_sound sg facts l m FACTS below) as le. unfold fits in *. lia.
  - exact (IHrest rest_fits found).
Qed.

Theorem limits_among_sound k listed : limits_among k listed = true ->
  forall sg, facts_hold sg (kernel_facts k) -> Forall (fits sg) listed ->
  Forall (fits sg) (limits k).
Proof.
  unfold limits_among. intros checked sg FACTS small. rewrite forallb_forall in checked.
  apply Forall_forall. intros l listed_l.
  apply (follows_sound sg (kernel_facts k) l (small_number :: listed) FACTS).
  - constructor; [|exact small].
    unfold fits, small_number, max_int64. cbn [size_val]. rewrite N_nat_Z. reflexivity.
  - exact (checked l listed_l).
Qed.
