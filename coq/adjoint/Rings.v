(** Scalars that are a commutative ring, and finite sums of them.

    [positive]      exponentials, sums and products of what is positive; whether one is among them
    [ring_like K]   what is asked of scalars: the laws of a commutative ring, integer constants that
                    are integers, quotients that are products with a reciprocal, choices that take
                    one of both, comparisons that are 1 or 0, of which one is the other's negation,
                    conversions that keep 1 and 0, positions of which no two equal the same number,
                    and exponentials that turn sums into products; these, and sums of positive numbers
                    with exponentials among them, have inverses
    [lsum K l f]    the sum of [f a] over the elements [a] of [l]; its laws are those of lib/Sums.v
    [element_sum]   a statement is a sum, seen through a projection that keeps sums *)

From Coq Require Import Arith ZArith List Bool Lia Ring_theory InitialRing Permutation.
From Vouch Require Import lib.Size array.Syntax array.Semantics index.Kernel adjoint.Points.
From Vouch Require Export lib.Sums.
Import ListNotations.

Definition is_comparison (o : bop) : bool := match o with Less | LessEq | Equal => true | _ => false end.

Inductive positive (K : scalars) : bool -> num K -> Prop :=
| positive_constant m e : (0 < m)%Z -> positive K false (cst K (Dyadic m e))
| positive_exponential x : positive K true (op1 K Exp x)
| positive_sum p q x y : positive K p x -> positive K q y -> positive K (p || q) (op2 K Add x y)
| positive_product p q x y : positive K p x -> positive K q y -> positive K (p || q) (op2 K Mul x y).

Record ring_like (K : scalars) : Prop := {
  ring_laws : ring_theory (cst K zero) (cst K one) (op2 K Add) (op2 K Mul) (op2 K Sub) (op1 K Neg) eq;
  integer_constants : forall m e, (0 <= e)%Z -> cst K (Dyadic m e) =
    gen_phiZ (cst K zero) (cst K one) (op2 K Add) (op2 K Mul) (op1 K Neg) (m * 2 ^ e);
  quotients : forall x y, op2 K Div x y = op2 K Mul x (op2 K Div (cst K one) y);
  choices : forall c, (forall x y, op3 K Sel c x y = x) \/ (forall x y, op3 K Sel c x y = y);
  truths : forall (b : bool) x y, op3 K Sel (cst K (if b then one else zero)) x y = if b then x else y;
  comparisons : forall o x y, is_comparison o = true -> op2 K o x y = cst K one \/ op2 K o x y = cst K zero;
  orders : forall x y a b, op3 K Sel (op2 K LessEq x y) a b = op3 K Sel (op2 K Less y x) b a;
  meets : forall b c : bool, op2 K Min (cst K (if b then one else zero)) (cst K (if c then one else zero)) =
    cst K (if b && c then one else zero);
  joins : forall b c : bool, op2 K Max (cst K (if b then one else zero)) (cst K (if c then one else zero)) =
    cst K (if b || c then one else zero);
  casts : forall s t (b : bool), op1 K (Cast s t) (cst K (if b then one else zero)) = cst K (if b then one else zero);
  positions_apart : forall x j k, j <> k ->
    op2 K Equal x (position K j) = cst K one -> op2 K Equal x (position K k) = cst K zero;
  exponentials : forall x y, op1 K Exp (op2 K Add x y) = op2 K Mul (op1 K Exp x) (op1 K Exp y);
  exponential_zero : op1 K Exp (cst K zero) = cst K one;
  inverses : forall x, positive K true x -> op2 K Mul x (op2 K Div (cst K one) x) = cst K one;
  reciprocals : forall x y, op2 K Div (cst K one) (op2 K Mul x y) =
    op2 K Mul (op2 K Div (cst K one) x) (op2 K Div (cst K one) y)
}.

(** ** Sums *)

Section SUMS.
  Context (K : scalars) (RING : ring_like K).

  Notation "0" := (cst K zero).
  Notation "x + y" := (op2 K Add x y).
  Notation "x * y" := (op2 K Mul x y).

  Let laws := ring_laws K RING.
  Add Ring scalar_ring : laws.

  Notation lsum := (fsum 0 (op2 K Add)).

  Lemma ring_sums : sums 0 (op2 K Add).
  Proof using RING. constructor; intros; ring. Qed.

  Section LSUM.
    Context {A : Type}.
    Implicit Types (l : list A) (f g : A -> num K).

    Lemma lsum_ext l f g : (forall a, In a l -> f a = g a) -> lsum l f = lsum l g.
    Proof using Type. apply fsum_ext. Qed.

    Lemma lsum_plus l f g : lsum l (fun a => f a + g a) = lsum l f + lsum l g.
    Proof using RING. apply fsum_plus, ring_sums. Qed.

    Lemma lsum_scale l c f : lsum l (fun a => c * f a) = c * lsum l f.
    Proof using RING. symmetry. apply fsum_through; intros; ring. Qed.

    Lemma lsum_zero l f : (forall a, In a l -> f a = 0) -> lsum l f = 0.
    Proof using RING. apply fsum_zero, ring_sums. Qed.

    Lemma lsum_app l m f : lsum (l ++ m) f = lsum l f + lsum m f.
    Proof using RING. apply fsum_app, ring_sums. Qed.

    Lemma lsum_map {B} (h : B -> A) (l : list B) f : lsum (map h l) f = lsum l (fun a => f (h a)).
    Proof using Type. apply fsum_map. Qed.

    Lemma lsum_flat_map {B} (l : list B) (m : B -> list A) f :
      lsum (flat_map m l) f = lsum l (fun b => lsum (m b) f).
    Proof using RING. apply fsum_flat_map, ring_sums. Qed.

    Lemma lsum_permutation l m f : Permutation l m -> lsum l f = lsum m f.
    Proof using RING. apply fsum_permutation, ring_sums. Qed.

    Lemma lsum_filter (p : A -> bool) l f :
      lsum l (fun a => if p a then f a else 0) = lsum (filter p l) f.
    Proof using RING. apply fsum_filter, ring_sums. Qed.
  End LSUM.

  Lemma lsum_exchange {A B} (l : list A) (m : list B) f :
    lsum l (fun a => lsum m (f a)) = lsum m (fun b => lsum l (fun a => f a b)).
  Proof using RING. apply fsum_exchange, ring_sums. Qed.

  Theorem sum_reindex {A B} (l : list A) (m : list B) (p : A -> bool) (q : B -> bool)
      (f : A -> num K) (g : B -> num K) (phi : A -> B) (psi : B -> A) :
    NoDup l -> NoDup m ->
    (forall a, In a l -> p a = true -> In (phi a) m /\ q (phi a) = true /\ psi (phi a) = a) ->
    (forall b, In b m -> q b = true ->
      In (psi b) l /\ p (psi b) = true /\ phi (psi b) = b /\ f (psi b) = g b) ->
    lsum l (fun a => if p a then f a else 0) = lsum m (fun b => if q b then g b else 0).
  Proof using RING. apply fsum_reindex, ring_sums. Qed.

  (** ** What a statement sums, seen through a projection that keeps sums *)

  Section PROJECTED.
    Context (sg : nat -> nat) (D : scalars) (pi : num D -> num K).
    Context (PI_ZERO : pi (cst D zero) = 0) (PI_ADD : forall x y, pi (op2 D Add x y) = pi x + pi y).

    Lemma iterate_sum (f : nat -> num D -> num D) (g : nat -> num K) n a :
      (forall i b, pi (f i b) = pi b + g i) -> pi (iterate n f a) = pi a + lsum (seq 0 n) g.
    Proof using RING.
      intros step. induction n as [|n IHn].
      - cbn. ring.
      - cbn [iterate]. rewrite step, IHn, seq_S, lsum_app. cbn. ring.
    Qed.

    Definition sum_at (ts : list (tensor D)) (s : summand) (w : list nat) : num K :=
      if icond_val sg w (su_cond s) then pi (body_val sg D w ts (su_body s)) else 0.

    Definition loop_values (s : summand) : list nat := map (size_val sg) (su_loops s).

    Lemma fold_sum ts loops c b : forall iv a,
      pi (fold_val sg D loops c b iv ts a) = pi a +
        lsum (points (map (size_val sg) loops) iv)
          (fun w => if icond_val sg w c then pi (body_val sg D w ts b) else 0).
    Proof using RING PI_ADD.
      induction loops as [|n loops IHloops]; intros iv a; cbn [fold_val map points].
      - cbn. destruct (icond_val sg iv c); [rewrite PI_ADD|]; ring.
      - rewrite lsum_flat_map. apply iterate_sum. intros i b0. apply IHloops.
    Qed.

    Lemma summand_sum iv ts s :
      pi (summand_val sg D iv ts s) = lsum (points (loop_values s) iv) (sum_at ts s).
    Proof using RING PI_ADD PI_ZERO.
      unfold summand_val, loop_values, sum_at. destruct (su_loops s) as [|n loops] eqn:loops_are.
      - cbn. destruct (icond_val sg iv (su_cond s)); rewrite ?PI_ZERO; ring.
      - rewrite fold_sum, PI_ZERO. ring.
    Qed.

    Lemma element_sum iv ts l :
      pi (element_val sg D iv ts l) = lsum l (fun s => lsum (points (loop_values s) iv) (sum_at ts s)).
    Proof using RING PI_ADD PI_ZERO.
      destruct l as [|s l]; cbn [element_val fsum]; [apply PI_ZERO|].
      rewrite <- summand_sum. generalize (summand_val sg D iv ts s) as first.
      induction l as [|r l IHl]; intros first; cbn; [ring|].
      rewrite IHl, PI_ADD, summand_sum. ring.
    Qed.
  End PROJECTED.
End SUMS.

Notation lsum K := (fsum (cst K zero) (op2 K Add)).
