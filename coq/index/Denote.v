(** Index kernels as operators of rules: their elements, read at integers.

    Theorems about rules speak of sizes and attributes as integers, so an operator at an instance is a function from
    these to an index kernel without size variables: [extent n] is the size n.

    [result]              the tensor that an operator makes of its operands
    [operator]            a kernel of statements; [elementwise], [summed], [reading]: their forms
    [at_ints]             an element, by integers
    [term_at] … [body_at] terms, conditions and bodies at integers; [if_inside] is a read's test, [chosen] a choice
    [values_at]           the values that are summed, in order; [added] is their sum
    [same]                two tensors have the same elements, inside of a box
    [result_at], [statement_at]   an element of a kernel is the value of its body *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size array.Syntax array.Semantics index.Kernel tensor.Sums tensor.Extrema.
Import ListNotations.
Local Open Scope nat_scope.

Definition no_sizes : nat -> nat := fun _ => 0.

(** ** Operators *)

Definition extent (n : Z) : size := SConst (Z.to_N n).

Definition elementwise (extents : list Z) (b : ibody) : statement :=
  {| st_extents := map extent extents; st_summands := [{| su_loops := []; su_cond := CTrue; su_body := b |}] |}.

Definition summed (extents loops : list Z) (c : icond) (b : ibody) : statement :=
  {| st_extents := map extent extents;
     st_summands := [{| su_loops := map extent loops; su_cond := c; su_body := b |}] |}.

Definition array_of (extents : list Z) : ty := fold_right (fun n d => TAry (extent n) d) TNum extents.

Definition operator (inputs : list (list Z)) (locals : list statement) (output : statement) : ikernel :=
  {| ik_facts := []; ik_inputs := map array_of inputs; ik_locals := locals; ik_output := output |}.

(** What an index is multiplied by along an axis of [n] elements, where one element stands for all: 0 for that one. *)
Definition stretched (n : Z) : Z := if (n <=? 1)%Z then 0%Z else 1%Z.

(** An element of tensor [t]: each subscript with the extent of its axis. *)
Definition reading (t : nat) (s : list (iterm * Z)) : ibody := BRead t (map (fun p => (fst p, extent (snd p))) s).

Section OPERATORS.
  Context (K : scalars).

  Definition result (k : ikernel) (operands : list (tensor K)) : tensor K := ikernel_val no_sizes K operands k.

  (** A tensor of no axes, or of which every element is the same. *)
  Definition filled (x : num K) : tensor K := fun _ => x.

  (** A tensor of truth values, as what comparisons give. *)
  Definition truths (b : list nat -> bool) : tensor K := fun indices => if b indices then cst K one else cst K zero.

  Definition whole_of (z : Z) : num K := cst K (Dyadic z 0).

  Definition same (extents : list Z) (s t : tensor K) : Prop :=
    forall indices, Forall2 (fun i n => (Z.of_nat i < n)%Z) indices extents -> s indices = t indices.

  (** Choices by what a comparison gives are choices by [test]. *)
  Definition decides (o : bop) (test : num K -> num K -> bool) : Prop :=
    forall a b x y, op3 K Sel (op2 K o a b) x y = if test a b then x else y.

  (** ** Elements at integers *)

  Definition at_ints (t : tensor K) (zs : list Z) : num K := t (map Z.to_nat zs).

  Definition truth_at (b : list nat -> bool) (zs : list Z) : bool := b (map Z.to_nat zs).

  Fixpoint term_at (iv : list Z) (t : iterm) : Z :=
    match t with
    | IVar i => nth i iv 0
    | ICon z => z
    | ISize s => Z.of_nat (size_val no_sizes s)
    | IAdd a b => term_at iv a + term_at iv b
    | IScale c a => c * term_at iv a
    | IDiv a m => term_at iv a / Zpos m
    | IMod a m => term_at iv a mod Zpos m
    end%Z.

  Fixpoint cond_at (iv : list Z) (c : icond) : bool :=
    match c with
    | CTrue => true
    | CLe a b => term_at iv a <=? term_at iv b
    | CEq a b => term_at iv a =? term_at iv b
    | CAnd d e => cond_at iv d && cond_at iv e
    | COr d e => cond_at iv d || cond_at iv e
    | CNot d => negb (cond_at iv d)
    end%Z.

  Definition inside_at (iv : list Z) (p : iterm * size) : bool :=
    inside (term_at iv (fst p)) (size_val no_sizes (snd p)).

  Definition if_inside {A} (g : bool) (a z : A) : A := if g then a else z.
  Definition chosen {A} (g : bool) (a b : A) : A := if g then a else b.

  Fixpoint body_at (iv : list Z) (ts : list (tensor K)) (b : ibody) : num K :=
    match b with
    | BCon c => cst K c
    | BIndex i => position K (Z.to_nat (term_at iv i))
    | BRead t s =>
        if_inside (forallb (inside_at iv) s)
          (at_ints (read K ts t) (map (fun p => term_at iv (fst p)) s)) (cst K zero)
    | BGather x n t s r => body_val no_sizes K (map Z.to_nat iv) ts b
    | BOp1 o a => op1 K o (body_at iv ts a)
    | BOp2 o a c => op2 K o (body_at iv ts a) (body_at iv ts c)
    | BOp3 o a c d => op3 K o (body_at iv ts a) (body_at iv ts c) (body_at iv ts d)
    | BIf g a c => chosen (cond_at iv g) (body_at iv ts a) (body_at iv ts c)
    end.

  Definition added (l : list (num K)) : num K := fold_left (op2 K Add) l (cst K zero).

  Fixpoint values_at (loops : list size) (c : icond) (b : ibody) (iv : list Z) (ts : list (tensor K)) : list (num K) :=
    match loops with
    | [] => match c with CTrue => [body_at iv ts b] | _ => only (cond_at iv c) [body_at iv ts b] end
    | n :: inner => over (Z.of_nat (size_val no_sizes n)) (fun i => values_at inner c b (i :: iv) ts)
    end.

  Definition summand_at (iv : list Z) (ts : list (tensor K)) (s : summand) : num K :=
    match su_loops s with
    | [] => match su_cond s with
            | CTrue => body_at iv ts (su_body s)
            | c => chosen (cond_at iv c) (body_at iv ts (su_body s)) (cst K zero)
            end
    | loops => added (values_at loops (su_cond s) (su_body s) iv ts)
    end.

  Definition element_at (iv : list Z) (ts : list (tensor K)) (l : list summand) : num K :=
    match l with
    | [] => cst K zero
    | s :: more => fold_left (fun a r => op2 K Add a (summand_at iv ts r)) more (summand_at iv ts s)
    end.

  (** ** They are those of the kernel *)

  Notation ints := (map Z.of_nat).

  Lemma to_nat_ints iv : map Z.to_nat (ints iv) = iv.
  Proof.
    rewrite map_map. induction iv as [|i iv IH]; [reflexivity|]. cbn [map]. now rewrite Nat2Z.id, IH.
  Qed.

  Lemma term_at_is iv t : iterm_val no_sizes iv t = term_at (ints iv) t.
  Proof.
    induction t; cbn [iterm_val term_at]; try congruence.
    change 0%Z with (Z.of_nat 0). now rewrite map_nth.
  Qed.

  Lemma cond_at_is iv c : icond_val no_sizes iv c = cond_at (ints iv) c.
  Proof.
    induction c; cbn [icond_val cond_at]; rewrite ?term_at_is; congruence.
  Qed.

  Lemma body_at_is iv ts b : body_val no_sizes K iv ts b = body_at (ints iv) ts b.
  Proof.
    induction b; cbn [body_val body_at]; rewrite ?term_at_is, ?cond_at_is; try congruence.
    - unfold if_inside, all_inside, at_ints. rewrite map_map.
      assert (tests : forallb (fun p => inside (iterm_val no_sizes iv (fst p)) (size_val no_sizes (snd p))) subscripts
                      = forallb (inside_at (ints iv)) subscripts).
      { induction subscripts as [|p s IH]; [reflexivity|]. cbn [forallb]. unfold inside_at at 1.
        now rewrite IH, term_at_is. }
      rewrite tests. destruct (forallb (inside_at (ints iv)) subscripts); [|reflexivity]. f_equal. apply map_ext. intros p. now rewrite term_at_is.
    - now rewrite to_nat_ints.
    - unfold chosen. now rewrite IHb1, IHb2.
  Qed.

  Lemma fold_over n (f : Z -> list (num K)) a :
    fold_left (op2 K Add) (over (Z.of_nat n) f) a =
    iterate n (fun i acc => fold_left (op2 K Add) (f (Z.of_nat i)) acc) a.
  Proof.
    unfold over, range. rewrite Nat2Z.id. induction n as [|n IHn]; [reflexivity|].
    rewrite seq_S, map_app, flat_map_app, fold_left_app, IHn. cbn. now rewrite app_nil_r.
  Qed.

  Lemma iterate_ext {A} n (f g : nat -> A -> A) a : (forall i x, f i x = g i x) -> iterate n f a = iterate n g a.
  Proof. intros each. induction n as [|n IHn]; cbn; [reflexivity|]. now rewrite IHn, each. Qed.

  Lemma fold_at_is ts b c : forall loops iv a,
    fold_val no_sizes K loops c b iv ts a = fold_left (op2 K Add) (values_at loops c b (ints iv) ts) a.
  Proof.
    induction loops as [|n loops IH]; intros iv a.
    - cbn [fold_val values_at]. rewrite cond_at_is, body_at_is. destruct c; cbn [cond_at]; try reflexivity;
        unfold only; match goal with |- context [if ?g then _ else _] => destruct g end; reflexivity.
    - cbn [fold_val values_at]. rewrite fold_over. apply iterate_ext. intros i x. apply IH.
  Qed.

  Lemma summand_at_is iv ts s : summand_val no_sizes K iv ts s = summand_at (ints iv) ts s.
  Proof.
    unfold summand_val, summand_at. destruct (su_loops s) as [|n loops].
    - rewrite body_at_is, cond_at_is. unfold chosen. now destruct (su_cond s).
    - apply fold_at_is.
  Qed.

  Lemma element_at_is iv ts l : element_val no_sizes K iv ts l = element_at (ints iv) ts l.
  Proof.
    destruct l as [|s more]; cbn [element_val element_at]; [reflexivity|]. rewrite summand_at_is.
    generalize (summand_at (ints iv) ts s). induction more as [|r more IH]; intros a; cbn; [reflexivity|].
    now rewrite summand_at_is, IH.
  Qed.

  Lemma ints_of_nats zs : Forall (fun z => 0 <= z)%Z zs -> ints (rev (map Z.to_nat zs)) = rev zs.
  Proof.
    intros positive. rewrite map_rev, map_map. f_equal. induction positive as [|z zs z_pos _ IH]; [reflexivity|].
    cbn. now rewrite IH, Z2Nat.id.
  Qed.

  Theorem statement_at ts s zs : Forall (fun z => 0 <= z)%Z zs ->
    at_ints (statement_val no_sizes K ts s) zs = element_at (rev zs) ts (st_summands s).
  Proof.
    intros positive. unfold at_ints, statement_val. now rewrite element_at_is, ints_of_nats.
  Qed.

  Theorem result_at inputs locals output operands zs : Forall (fun z => 0 <= z)%Z zs ->
    at_ints (result (operator inputs locals output) operands) zs =
    element_at (rev zs) (locals_val no_sizes K operands locals) (st_summands output).
  Proof. apply statement_at. Qed.

  (** Index by index. *)
  Fixpoint same_from (before extents : list Z) (s t : tensor K) : Prop :=
    match extents with
    | [] => at_ints s before = at_ints t before
    | n :: more => forall i, (0 <= i < n)%Z -> same_from (before ++ [i]) more s t
    end.

  Theorem same_at extents s t : same_from [] extents s t -> same extents s t.
  Proof.
    intros each indices below. rewrite <- (to_nat_ints indices).
    change (at_ints s ([] ++ ints indices) = at_ints t ([] ++ ints indices)). revert each. generalize (@nil Z).
    induction below as [|i n indices extents i_lt _ IH]; intros before each.
    - cbn in *. now rewrite app_nil_r.
    - specialize (IH (before ++ [Z.of_nat i]) (each (Z.of_nat i) ltac:(lia))). now rewrite <- app_assoc in IH.
  Qed.
End OPERATORS.

Arguments filled {K} x.
Arguments truths {K} b.
Arguments same {K} extents s t.
Arguments at_ints {K} t zs.
