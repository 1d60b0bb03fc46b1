(** Operators that take the largest, the smallest or the product of values: index kernels of another kind.

    A statement of index/Kernel.v adds what its loops give; here a formula may join it by another operation of the scalars.

    [reduction], [reduced]   what is made of values, in order
    [values]                 what loops give, in order
    [formula]                a statement, or a reduction
    [reducer]                formulas in order, as [ikernel] has statements; [outcome] is what it makes of its operands
    [reducing], [reduces]    how operators of rules are written
    [outcome_at], [formula_at_is]   its elements at integers
    [larger_laws]            [reduced Largest] has the laws of a largest, where the larger of two has them *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size array.Syntax array.Semantics index.Kernel index.Denote tensor.Sums tensor.Extrema tensor.Laws.
Import ListNotations.

Inductive reduction : Type := Product | Largest | Smallest.

Inductive formula : Type :=
| Sums (s : statement)
| Reduces (r : reduction) (extents loops : list size) (c : icond) (b : ibody).

Record reducer : Type := { re_inputs : list ty; re_locals : list formula; re_output : formula }.

Definition reduces (r : reduction) (extents loops : list Z) (c : icond) (b : ibody) : formula :=
  Reduces r (map extent extents) (map extent loops) c b.

Definition reducing (inputs : list (list Z)) (locals : list formula) (output : formula) : reducer :=
  {| re_inputs := map array_of inputs; re_locals := locals; re_output := output |}.

Section REDUCTIONS.
  Context (K : scalars).

  (** Of no values: 1, and what is never larger, or never smaller. *)
  Definition reduced (r : reduction) (l : list (num K)) : num K :=
    match r, l with
    | Product, _ => fold_left (op2 K Mul) l (cst K one)
    | Largest, [] => cst K (Infinity true)
    | Largest, a :: more => fold_left (op2 K Max) more a
    | Smallest, [] => cst K (Infinity false)
    | Smallest, a :: more => fold_left (op2 K Min) more a
    end.

  Fixpoint values (loops : list size) (c : icond) (b : ibody) (iv : list nat) (ts : list (tensor K)) : list (num K) :=
    match loops with
    | [] => if icond_val no_sizes iv c then [body_val no_sizes K iv ts b] else []
    | n :: inner => flat_map (fun i => values inner c b (i :: iv) ts) (seq 0 (size_val no_sizes n))
    end.

  Definition formula_val (ts : list (tensor K)) (f : formula) : tensor K :=
    match f with
    | Sums s => statement_val no_sizes K ts s
    | Reduces r _ loops c b => fun indices => reduced r (values loops c b (rev indices) ts)
    end.

  Fixpoint formulas_val (ts : list (tensor K)) (l : list formula) : list (tensor K) :=
    match l with
    | [] => ts
    | f :: more => formulas_val (formula_val ts f :: ts) more
    end.

  Definition outcome (k : reducer) (operands : list (tensor K)) : tensor K :=
    formula_val (formulas_val operands (re_locals k)) (re_output k).

  Definition formula_at (iv : list Z) (ts : list (tensor K)) (f : formula) : num K :=
    match f with
    | Sums s => element_at K iv ts (st_summands s)
    | Reduces r _ loops c b => reduced r (values_at K loops c b iv ts)
    end.

  Lemma values_at_is ts c b : forall loops iv, values loops c b iv ts = values_at K loops c b (map Z.of_nat iv) ts.
  Proof.
    induction loops as [|n loops IHloops]; intros iv; cbn [values values_at].
    - rewrite cond_at_is, body_at_is. destruct c; reflexivity.
    - unfold over, range. rewrite Nat2Z.id, (flat_map_concat_map _ (map _ _)), map_map, <- flat_map_concat_map.
      apply flat_map_ext. intros i. apply IHloops.
  Qed.

  Theorem formula_at_is ts f zs : Forall (fun z => 0 <= z)%Z zs ->
    at_ints (formula_val ts f) zs = formula_at (rev zs) ts f.
  Proof.
    intros positive. destruct f as [s|r extents loops c b]; [now apply statement_at|].
    unfold at_ints. cbn [formula_val formula_at]. now rewrite values_at_is, ints_of_nats.
  Qed.

  Theorem outcome_at inputs locals output operands zs : Forall (fun z => 0 <= z)%Z zs ->
    at_ints (outcome (reducing inputs locals output) operands) zs =
    formula_at (rev zs) (formulas_val operands locals) output.
  Proof. apply formula_at_is. Qed.

  (** ** Laws *)

  Lemma folded op (l : list (num K)) a b :
    (forall x y z, op x (op y z) = op (op x y) z) -> fold_left op l (op a b) = op a (fold_left op l b).
  Proof.
    intros associates. revert b. induction l as [|c l IHl]; intros b; cbn; [reflexivity|].
    now rewrite <- associates, IHl.
  Qed.

  Lemma folding_laws op start r : commutes op -> (forall a b c, op a (op b c) = op (op a b) c) ->
    (forall a, op a a = a) -> (forall a, op start a = a) ->
    (forall l, reduced r l = match l with [] => start | a :: more => fold_left op more a end) ->
    semilattice op (reduced r).
  Proof.
    intros swaps associates twice none is_fold. constructor; try assumption; intros a.
    - rewrite is_fold. apply none.
    - intros l. rewrite !is_fold. destruct l as [|b l]; cbn.
      + now rewrite swaps, none.
      + now apply folded.
  Qed.

  Lemma larger_laws :
    commutes (op2 K Max) -> (forall a b c, op2 K Max a (op2 K Max b c) = op2 K Max (op2 K Max a b) c) ->
    (forall a, op2 K Max a a = a) -> (forall a, op2 K Max (cst K (Infinity true)) a = a) ->
    semilattice (op2 K Max) (reduced Largest).
  Proof. intros swaps associates twice none. now apply (folding_laws _ (cst K (Infinity true))). Qed.

  Lemma smaller_laws :
    commutes (op2 K Min) -> (forall a b c, op2 K Min a (op2 K Min b c) = op2 K Min (op2 K Min a b) c) ->
    (forall a, op2 K Min a a = a) -> (forall a, op2 K Min (cst K (Infinity false)) a = a) ->
    semilattice (op2 K Min) (reduced Smallest).
  Proof. intros swaps associates twice none. now apply (folding_laws _ (cst K (Infinity false))). Qed.
End REDUCTIONS.
